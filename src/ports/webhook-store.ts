// Webhook events as written with their transition, and every attempt to deliver them (decisions 17 to 19).
import type { EventId } from '../domain/ids';

export interface WebhookDelivery {
  readonly eventId: EventId;
  readonly url: string;
  /** `whsec_…`, opened from their seals; more than one while a secret rotates. Never log them. */
  readonly secrets: readonly string[];
  /** The exact text of the body, the same on every attempt. */
  readonly body: string;
  /** Attempts recorded so far; the schedule goes by these and not by Temporal's counter (architecture, section 3). */
  readonly attempts: number;
}

export interface WebhookAttempt {
  readonly eventId: EventId;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
  readonly answerExcerpt: string | null;
  /** What the attempt leaves the event in. */
  readonly result: 'delivered' | 'retry' | 'given_up';
  /** With `retry`: milliseconds until the next attempt is due. */
  readonly retryInMs: number | null;
}

export interface WebhookStore {
  /** The delivery still owed, or undefined when it was made, given up, or its endpoint is disabled. */
  findOwed(eventId: EventId): Promise<WebhookDelivery | undefined>;
  /** Records one attempt and what it leaves the event in, in one transaction. */
  recordAttempt(attempt: WebhookAttempt): Promise<void>;
}
