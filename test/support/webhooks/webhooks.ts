// Claims webhook events in tests and records attempts through the store, whatever their schedule.
import type { EventId } from '../../../src/domain/ids';
import type { ClaimedWebhook, WebhookAttempt, WebhookStore } from '../../../src/ports/webhooks';
import type { Database } from '../../../src/postgres/database';
import { NOON } from '../clock';

export type AttemptOptions = Partial<WebhookAttempt>;

/** An attempt; by default it is retried in five seconds. */
function anAttempt(overrides: AttemptOptions): WebhookAttempt {
  const { result = 'retry' } = overrides;
  return {
    startedAt: NOON,
    durationMs: 12,
    status: null,
    error: null,
    answerExcerpt: null,
    result,
    retryInMs: result === 'retry' ? 5_000 : null,
    ...overrides,
  };
}

/** @throws Error if the event cannot be claimed */
export async function claimed(store: WebhookStore, eventId: EventId): Promise<ClaimedWebhook> {
  const claim = await store.claim(eventId);
  if (claim.outcome !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(claim)}`);
  return claim.event;
}

/** Records the attempt. Returns the reason if that disabled the endpoint. */
export function finish(
  store: WebhookStore,
  event: ClaimedWebhook,
  overrides: AttemptOptions = {},
): Promise<string | null> {
  return store.finish(event, anAttempt(overrides));
}

interface WebhookBed {
  readonly database: Database;
  readonly webhooks: WebhookStore;
}

/** Makes the next attempt due at once. */
export async function makeDue({ database }: WebhookBed, eventId: EventId): Promise<void> {
  await database.query({
    text: `update webhook_events set due_at = service_now()
            where event_id = $1 and state = 'pending'`,
    values: [eventId],
  });
}

/** Claims the event and records one attempt. */
export async function recordAttempt(
  bed: WebhookBed,
  eventId: EventId,
  overrides: AttemptOptions = {},
): Promise<string | null> {
  await makeDue(bed, eventId);
  return finish(bed.webhooks, await claimed(bed.webhooks, eventId), overrides);
}
