// One attempt to deliver one webhook event (decision 19), and what it leaves the event in.
import { WEBHOOK_SLOW_MS } from '../src/domain/limits';
import { nextAttemptInMs, retryAfterMs } from '../src/domain/webhook-schedule';
import type { Clock } from '../src/ports/clock';
import type { WebhookMetrics } from '../src/ports/metrics';
import type { WebhookReply, WebhookSender } from '../src/ports/webhook-sender';
import type { WebhookAttempt, WebhookDelivery, WebhookHolding } from '../src/ports/webhook-store';

export interface AttemptDependencies {
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter. */
  readonly random: () => number;
  readonly metrics: WebhookMetrics;
}

export async function attemptOnce(
  dependencies: AttemptDependencies,
  { url, secrets }: WebhookHolding,
  event: WebhookDelivery,
): Promise<WebhookAttempt> {
  const { sender, clock, metrics } = dependencies;
  const startedAt = clock.now();
  const { eventId, body } = event;
  const reply = await sender.post({ url, eventId, sentAt: startedAt, body, secrets });
  const retryInMs = retryDelay(dependencies, event, reply);
  const result = resultOf(reply, retryInMs);
  metrics.webhookAttempted(result);
  return {
    event,
    startedAt,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    ...toldBy(reply),
    result,
    retryInMs: retryInMs ?? null,
  };
}

/** What asks for patience, by its answer or by its silence, is not sent more at once. */
const ASKS_FOR_PATIENCE: readonly number[] = [410, 429, 503];

/** Whether the endpoint may be sent the next event at once. */
export function takesMore({ status, durationMs }: WebhookAttempt): boolean {
  return status !== null && !ASKS_FOR_PATIENCE.includes(status) && durationMs <= WEBHOOK_SLOW_MS;
}

function toldBy(reply: WebhookReply): Pick<WebhookAttempt, 'status' | 'error' | 'answerExcerpt'> {
  if ('error' in reply) return { status: null, error: reply.error, answerExcerpt: null };
  return { status: reply.status, error: null, answerExcerpt: reply.excerpt };
}

/** Undefined when there is no next attempt: it was taken, it is gone (410), or the schedule is used up. */
function retryDelay(
  { random, clock }: AttemptDependencies,
  { attempts, attemptsReplayed }: WebhookDelivery,
  reply: WebhookReply,
): number | undefined {
  const retryAfter = 'status' in reply ? reply.retryAfter : undefined;
  if (isDelivered(reply) || isGone(reply)) return undefined;
  const made = attempts - attemptsReplayed + 1;
  return nextAttemptInMs(made, random(), retryAfterMs(retryAfter, clock.now()));
}

function resultOf(reply: WebhookReply, retryInMs: number | undefined): WebhookAttempt['result'] {
  if (isDelivered(reply)) return 'delivered';
  return retryInMs === undefined ? 'given_up' : 'retry';
}

function isDelivered(reply: WebhookReply): boolean {
  return 'status' in reply && reply.status >= 200 && reply.status < 300;
}

/** 410 ends the event (decision 19). */
function isGone(reply: WebhookReply): boolean {
  return 'status' in reply && reply.status === 410;
}
