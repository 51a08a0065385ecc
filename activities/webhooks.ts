// Delivers a webhook event by the schedule of decision 19. The attempts that were recorded count, not Temporal's counter, which
// also counts attempts that were lost with a worker (architecture, section 3). Each failure says why, as the Temporal UI shows it,
// and when to try again: the activity never waits itself, since that would keep a slot of the worker.
import type { EventId, PartnerId } from '../src/domain/ids';
import type { EndpointSlots } from '../src/domain/webhooks/endpoint-slots';
import type { EndpointSpeeds } from '../src/domain/webhooks/endpoint-speeds';
import { WEBHOOKS_IN_TASKS_MAX } from '../src/domain/limits';
import { nextAttemptInMs, retryAfterMs, WEBHOOK_WAITS_MS } from '../src/domain/webhooks/schedule';
import type { Clock } from '../src/ports/clock';
import type { Log } from '../src/ports/log';
import type { WebhookMetrics } from '../src/ports/metrics';
import type { WebhookSender } from '../src/ports/webhook-sender';
import type {
  ClaimedWebhook,
  MadeAttempt,
  SentWebhook,
  WebhookAttempt,
  WebhookStore,
} from '../src/ports/webhook-store';
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

/** The worker that sends it has nearly always finished by then. */
const UNDER_WAY_MS = 5_000;
/** By then the poller has nearly always sent it. */
const FULL_MEAN_MS = 60_000;
/** Ends the event. */
const GONE = 410;
/** By these answers, and by silence, the endpoint asks for fewer events. */
const ASKS_FOR_FEWER: readonly (number | null)[] = [null, GONE, 429, 503];

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
     * Ends when the event is delivered, given up or skipped.
     * @throws WebhookRefused, WebhookUnderWay or WebhookQueued, each with the delay until the next try
     */
    async deliverWebhook(eventId: EventId, partnerId: PartnerId): Promise<void> {
      if (!slots.take(partnerId)) {
        await store.leaveToPoller(eventId);
        // Spread, so that waiting events do not all come back at once.
        throw webhookQueued(Math.round(FULL_MEAN_MS * (0.5 + random())));
      }
      await deliverInSlot(eventId, partnerId);
    },

    /** The same, within the task of a payment. It holds up to half of the tasks, the other half is left to payments. */
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

/** Of the attempt that is made now, in the schedule, from 1. */
function numberOf({ attempts, attemptsReplayed }: ClaimedWebhook): number {
  return attempts - attemptsReplayed + 1;
}

/** Sends an event once and records what came of it. */
export function createWebhookSend(dependencies: Omit<WebhookDependencies, 'slots'>) {
  const { store, log } = dependencies;
  return async (event: ClaimedWebhook): Promise<SentWebhook> => {
    const attempt = await attemptOnce(dependencies, event);
    const reason = await store.finish(event, attempt);
    if (reason !== null) {
      log.warn(
        { partner_id: event.partnerId, reason },
        'webhook endpoint disabled: its events are skipped until operations enable it',
      );
    }
    const retryInMs = reason === null ? attempt.retryInMs : null;
    const takesMore = reason === null && !ASKS_FOR_FEWER.includes(attempt.status);
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
