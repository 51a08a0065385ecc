// Delivers a webhook event by the schedule of decision 19. The attempts that were recorded count, not Temporal's
// counter, which also counts attempts lost with a worker (architecture, section 3).
import type { EventId } from '../src/domain/ids';
import { nextAttemptInMs } from '../src/domain/webhook-schedule';
import type { Clock } from '../src/ports/clock';
import type { WebhookReply, WebhookSender } from '../src/ports/webhook-sender';
import type { WebhookAttempt, WebhookDelivery, WebhookStore } from '../src/ports/webhook-store';
import { webhookRefused } from './failures';

export interface WebhookActivities {
  /** @throws WebhookRefused with the delay until the next attempt; ends when delivered or given up. */
  deliverWebhook(eventId: EventId): Promise<void>;
}

export interface WebhookDependencies {
  readonly store: WebhookStore;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter. */
  readonly random: () => number;
}

export function createWebhookActivities(dependencies: WebhookDependencies): WebhookActivities {
  return {
    async deliverWebhook(eventId) {
      const delivery = await dependencies.store.findOwed(eventId);
      if (delivery === undefined) return;
      const { reply, attempt } = await attemptOnce(dependencies, delivery);
      const retryInMs = retryDelay(dependencies, delivery, reply);
      const result = resultOf(reply, retryInMs);
      await dependencies.store.recordAttempt({ ...attempt, result, retryInMs: retryInMs ?? null });
      if (result === 'retry') throw webhookRefused(describe(reply), retryInMs ?? 0);
    },
  };
}

interface Attempted {
  readonly reply: WebhookReply;
  readonly attempt: Omit<WebhookAttempt, 'result' | 'retryInMs'>;
}

async function attemptOnce(
  { sender, clock }: WebhookDependencies,
  { eventId, url, body, secrets }: WebhookDelivery,
): Promise<Attempted> {
  const startedAt = clock.now();
  const reply = await sender.post({ url, eventId, sentAt: startedAt, body, secrets });
  const attempt = {
    eventId,
    startedAt,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    status: 'status' in reply ? reply.status : null,
    error: 'error' in reply ? reply.error : null,
    answerExcerpt: 'status' in reply ? reply.excerpt : null,
  };
  return { reply, attempt };
}

function retryDelay(
  { random }: WebhookDependencies,
  { attempts }: WebhookDelivery,
  reply: WebhookReply,
): number | undefined {
  const retryAfter = 'status' in reply ? reply.retryAfter : undefined;
  return isGone(reply) ? undefined : nextAttemptInMs(attempts + 1, random(), retryAfter);
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

function describe(reply: WebhookReply): string {
  return 'status' in reply ? `the endpoint answered ${String(reply.status)}` : reply.error;
}
