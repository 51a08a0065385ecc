// One attempt to deliver one webhook event (decision 19), and what it leaves the event in.
import { nextAttemptInMs, retryAfterMs } from '../src/domain/webhook-schedule';
import type { Clock } from '../src/ports/clock';
import type { Log } from '../src/ports/log';
import type { WebhookMetrics } from '../src/ports/metrics';
import type { WebhookReply, WebhookSender } from '../src/ports/webhook-sender';
import type { ClaimedWebhook, WebhookAttempt, WebhookStore } from '../src/ports/webhook-store';

export interface AttemptDependencies {
  readonly store: Pick<WebhookStore, 'finish'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter. */
  readonly random: () => number;
  readonly metrics: WebhookMetrics;
  readonly log: Log;
}

export interface SentWebhook {
  readonly attempt: WebhookAttempt;
  /** Whether the attempt disabled the endpoint. */
  readonly isDisabled: boolean;
}

/** Sends the event once and records what came of it. */
export async function sendWebhook(
  dependencies: AttemptDependencies,
  event: ClaimedWebhook,
): Promise<SentWebhook> {
  const attempt = await attemptOnce(dependencies, event);
  const reason = await dependencies.store.finish(event, attempt);
  if (reason !== null) {
    dependencies.log.warn(
      { partner_id: event.partnerId, reason },
      'webhook endpoint disabled: its events are skipped until operations enable it',
    );
  }
  return { attempt, isDisabled: reason !== null };
}

async function attemptOnce(
  dependencies: AttemptDependencies,
  event: ClaimedWebhook,
): Promise<WebhookAttempt> {
  const { sender, clock, metrics } = dependencies;
  const startedAt = clock.now();
  const { eventId, body, url, secrets } = event;
  const reply = await sender.post({ url, eventId, sentAt: startedAt, body, secrets });
  const retryInMs = retryDelay(dependencies, event, reply);
  const result = resultOf(reply, retryInMs);
  metrics.webhookAttempted(result);
  return {
    startedAt,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    ...toldBy(reply),
    result,
    retryInMs: retryInMs ?? null,
  };
}

/** As above, and says how the poller goes on: with a further attempt at this event, with the next event. */
export function createWebhookSend(dependencies: AttemptDependencies) {
  return async (event: ClaimedWebhook) => {
    const { attempt, isDisabled } = await sendWebhook(dependencies, event);
    const isPending = attempt.result === 'retry' && !isDisabled;
    return { isPending, takesMore: takesMore(attempt) && !isDisabled };
  };
}

/** The endpoint asks for fewer events by these answers, and by silence. */
const ASKS_FOR_FEWER: readonly number[] = [410, 429, 503];

/** Whether the endpoint may be sent the next event at once. */
function takesMore({ status }: WebhookAttempt): boolean {
  return status !== null && !ASKS_FOR_FEWER.includes(status);
}

function toldBy(reply: WebhookReply): Pick<WebhookAttempt, 'status' | 'error' | 'answerExcerpt'> {
  if ('error' in reply) return { status: null, error: reply.error, answerExcerpt: null };
  return { status: reply.status, error: null, answerExcerpt: reply.excerpt };
}

/** Undefined when there is no next attempt: it was taken, it is gone (410), or the schedule is used up. */
function retryDelay(
  { random, clock }: AttemptDependencies,
  { attempts, attemptsReplayed }: ClaimedWebhook,
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
