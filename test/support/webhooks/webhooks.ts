// Webhook events in tests: taken and recorded through the store's own doors, whatever their schedule says.
import type { EventId } from '../../../src/domain/ids';
import type {
  ClaimedWebhook,
  WebhookAttempt,
  WebhookStore,
} from '../../../src/ports/webhook-store';
import type { Database } from '../../../src/postgres/database';
import { NOON } from '../clock';

export type AttemptWish = Partial<WebhookAttempt>;

/** An attempt; tried again in five seconds unless told. */
function anAttempt(wish: AttemptWish): WebhookAttempt {
  const { result = 'retry' } = wish;
  return {
    startedAt: NOON,
    durationMs: 12,
    status: null,
    error: null,
    answerExcerpt: null,
    result,
    retryInMs: result === 'retry' ? 5_000 : null,
    ...wish,
  };
}

/** @throws Error when there is nothing to take */
export async function claimed(store: WebhookStore, eventId: EventId): Promise<ClaimedWebhook> {
  const claim = await store.claim(eventId);
  if (claim.outcome !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(claim)}`);
  return claim.event;
}

/** Records that attempt; returns why the endpoint was disabled by it, if it was. */
export function finish(
  store: WebhookStore,
  event: ClaimedWebhook,
  wish: AttemptWish = {},
): Promise<string | null> {
  return store.finish(event, anAttempt(wish));
}

interface Books {
  readonly database: Database;
  readonly webhooks: WebhookStore;
}

/** The next attempt is due at once, as if its time had come. */
export async function makeDue({ database }: Books, eventId: EventId): Promise<void> {
  await database.query({
    text: `update webhook_events set due_at = service_now() where event_id = $1 and state = 'pending'`,
    values: [eventId],
  });
}

/** Takes the event and records one attempt at it. */
export async function recordAttempt(
  books: Books,
  eventId: EventId,
  wish: AttemptWish = {},
): Promise<string | null> {
  await makeDue(books, eventId);
  return finish(books.webhooks, await claimed(books.webhooks, eventId), wish);
}
