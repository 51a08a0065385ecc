// Delivers a webhook event by the schedule of decision 19. Recorded attempts count, not Temporal's
// counter, which includes attempts that a dead worker never made. Each failure names the reason and
// the delay until the next try: the activity never waits, because that would hold a worker's slot.
import type { EventId, PartnerId } from '../src/domain/ids';
import type { EndpointSlots, EndpointSpeeds } from '../src/domain/webhooks/endpoints';
import { WEBHOOKS_IN_TASKS_MAX } from '../src/domain/limits';
import { nextAttemptInMs, retryAfterMs, WEBHOOK_WAITS_MS } from '../src/domain/webhooks/schedule';
import type { Clock } from '../src/ports/clock';
import type { Log, WebhookMetrics } from '../src/ports/observe';
import type {
  WebhookSender,
  ClaimedWebhook,
  MadeAttempt,
  SentWebhook,
  WebhookAttempt,
  WebhookStore,
} from '../src/ports/webhooks';
import { webhookQueued, webhookRejected, webhookUnderWay } from './failures';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

export interface WebhookDependencies {
  readonly store: WebhookStore;
  readonly slots: EndpointSlots;
  readonly speeds: Pick<EndpointSpeeds, 'record'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter. */
  readonly random: () => number;
  readonly metrics: WebhookMetrics;
  readonly log: Log;
}

/** The worker that holds the lease has nearly always finished by then. */
const UNDER_WAY_MS = 5_000;
/** By then the poller has nearly always sent it. */
const FULL_MEAN_MS = 60_000;
/** The endpoint wants this event no more. */
const GONE = 410;
/**
 * After these answers, and after silence (null), the poller sends the endpoint nothing more for
 * now.
 */
const SLOWS_DOWN: readonly (number | null)[] = [null, GONE, 429, 503];

export function createWebhookActivities(dependencies: WebhookDependencies) {
  const { store, slots, random } = dependencies;
  const send = createWebhookSend(dependencies);
  let inTasks = 0;
  const deliver = async (eventId: EventId) => {
    const claim = await store.claim(eventId);
    if (claim.outcome === 'done') return;
    if (claim.outcome === 'under_way') throw webhookUnderWay(UNDER_WAY_MS);
    if (claim.outcome === 'not_due') throw webhookRejected(describe(claim.last), claim.waitMs);
    const sent = await send(claim.event);
    if (sent.retryInMs !== null) throw webhookRejected(describe(sent), sent.retryInMs);
  };
  const deliverInSlot = async (eventId: EventId, partnerId: PartnerId) => {
    try {
      await deliver(eventId);
    } finally {
      slots.release(partnerId);
    }
  };
  return {
    /**
     * Returns once the event is delivered, exhausted or skipped.
     * @throws WebhookRejected, WebhookUnderWay or WebhookQueued, each with the delay until the next
     * try
     */
    async deliverWebhook(eventId: EventId, partnerId: PartnerId): Promise<void> {
      if (!slots.take(partnerId)) {
        await store.leaveToPoller(eventId);
        // Random, so that waiting events do not all come back at once.
        throw webhookQueued(Math.round(FULL_MEAN_MS * (0.5 + random())));
      }
      await deliverInSlot(eventId, partnerId);
    },

    /** The same within a payment's workflow task. Half of the task slots stay free for payments. */
    async deliverWebhookAtOnce(eventId: EventId, partnerId: PartnerId): Promise<void> {
      if (inTasks >= WEBHOOKS_IN_TASKS_MAX || !slots.take(partnerId)) throw webhookQueued(0);
      inTasks += 1;
      try {
        await deliverInSlot(eventId, partnerId);
      } finally {
        inTasks -= 1;
      }
    },
  };
}

function describe({ number, status, error }: MadeAttempt): string {
  const what = error ?? `the endpoint answered ${String(status)}`;
  return `attempt ${String(number)} of ${String(WEBHOOK_WAITS_MS.length)}: ${what}`;
}

/** Number of the present attempt in the schedule, from 1. */
function numberOf({ attempts, attemptsReplayed }: ClaimedWebhook): number {
  return attempts - attemptsReplayed + 1;
}

/** Sends an event once and records the result. */
export function createWebhookSend(dependencies: Omit<WebhookDependencies, 'slots'>) {
  const { store, log } = dependencies;
  return async (event: ClaimedWebhook): Promise<SentWebhook> => {
    const attempt = await attemptOnce(dependencies, event);
    const reason = await store.finish(event, attempt);
    if (reason !== null) {
      log.warn(
        { partner_id: event.partnerId, reason },
        'webhook endpoint disabled: its events are skipped until an operator enables it',
      );
    }
    const retryInMs = reason === null ? attempt.retryInMs : null;
    const takesMore = reason === null && !SLOWS_DOWN.includes(attempt.status);
    return { ...attempt, number: numberOf(event), retryInMs, takesMore };
  };
}

const NO_ANSWER = { status: null, error: null, excerpt: null, retryAfter: undefined };

async function attemptOnce(
  { sender, clock, random, metrics, speeds }: Omit<WebhookDependencies, 'slots'>,
  event: ClaimedWebhook,
): Promise<WebhookAttempt> {
  const { eventId, body, url, secrets } = event;
  const startedAt = clock.now();
  const reply = await sender.post({ url, eventId, sentAt: startedAt, body, secrets });
  const now = clock.now();
  const { status, error, excerpt, retryAfter } = { ...NO_ANSWER, ...reply };
  const isDelivered = status !== null && status >= 200 && status < 300;
  const waitMs = nextAttemptInMs(numberOf(event), random(), retryAfterMs(retryAfter, now));
  const retryInMs = isDelivered || status === GONE ? null : (waitMs ?? null);
  const failure = retryInMs === null ? 'exhausted' : 'retry';
  const result = isDelivered ? 'delivered' : failure;
  metrics.webhookAttempted(result);
  const durationMs = now.getTime() - startedAt.getTime();
  speeds.record(event.partnerId, durationMs, isDelivered);
  return { startedAt, durationMs, status, error, answerExcerpt: excerpt, result, retryInMs };
}
