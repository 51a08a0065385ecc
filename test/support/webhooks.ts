// Webhook events in tests: taken and recorded through the store's own doors, whatever their schedule says.
import type { EventId } from '../../src/domain/ids';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookFinish,
  WebhookHolding,
  WebhookStore,
} from '../../src/ports/webhook-store';
import type { Database } from '../../src/postgres/database';
import { NOON } from './clock';

export type AttemptWish = Partial<Omit<WebhookAttempt, 'event'>>;

/** An attempt at the event; tried again in five seconds unless told. */
export function anAttempt(event: WebhookDelivery, wish: AttemptWish = {}): WebhookAttempt {
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
    event,
  };
}

/** @throws Error when there is nothing to take */
export async function claimed(store: WebhookStore, eventId: EventId): Promise<WebhookHolding> {
  const claim = await store.claim(eventId);
  if (claim.outcome !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(claim)}`);
  return claim.holding;
}

interface Books {
  readonly database: Database;
  readonly webhooks: WebhookStore;
}

/** The next attempt is due at once, as if its time had come. */
export async function makeDue({ database }: Books, eventId: EventId): Promise<void> {
  await database.query({
    text: `update webhook_events set due_at = service_now() where event_id = $1 and state = 'owed'`,
    values: [eventId],
  });
}

/** Takes the event and records one attempt at it. */
export async function recordAttempt(
  books: Books,
  eventId: EventId,
  wish: AttemptWish = {},
): Promise<WebhookFinish> {
  await makeDue(books, eventId);
  const holding = await claimed(books.webhooks, eventId);
  const attempts = holding.events.map((event) => anAttempt(event, wish));
  return books.webhooks.finish(holding, attempts, 0);
}
