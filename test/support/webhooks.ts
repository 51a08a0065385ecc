// Webhook events in tests: taken and recorded through the store's own doors, whatever their schedule says.
import type { EventId } from '../../src/domain/ids';
import type {
  WebhookAttempt,
  WebhookClaim,
  WebhookDelivery,
  WebhookNext,
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

export type Claimed = Extract<WebhookClaim, { readonly outcome: 'claimed' }>;

/** @throws Error when there is nothing to take */
export async function claimed(store: WebhookStore, eventId: EventId): Promise<Claimed> {
  const claim = await store.claim(eventId);
  if (claim.outcome !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(claim)}`);
  return claim;
}

/** Records that attempt and frees the place, unless further events are wanted and there. */
export function finish(
  store: WebhookStore,
  { holding, event }: Pick<Claimed, 'holding' | 'event'>,
  { wanted = 0, ...wish }: AttemptWish & { readonly wanted?: number } = {},
): Promise<WebhookNext> {
  return store.finish(holding, {
    attempts: [anAttempt(event, wish)],
    unsent: [],
    wanted,
    isLast: true,
  });
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
): Promise<WebhookNext> {
  await makeDue(books, eventId);
  return finish(books.webhooks, await claimed(books.webhooks, eventId), wish);
}
