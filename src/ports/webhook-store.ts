// Webhook events as written with their transition, and every attempt to deliver them (decisions 17 to 19). An event is sent
// by whoever holds its lease.
import type { EventId, IntentId, PartnerId } from '../domain/ids';

/** An event whose lease the caller holds, with the endpoint as it was when the lease was taken. */
export interface ClaimedWebhook {
  readonly eventId: EventId;
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  /** The exact text of the body, the same on every attempt. */
  readonly body: string;
  /** Attempts recorded so far; the schedule goes by these and not by Temporal's counter (architecture, section 3). */
  readonly attempts: number;
  /** Those of them that were made before the schedule last began: a replay begins it anew. */
  readonly attemptsReplayed: number;
  readonly url: string;
  /** `whsec_…`, opened from their seals; two while a secret rotates. Never log them. */
  readonly secrets: readonly string[];
  readonly lease: string;
}

export type WebhookClaim =
  | { readonly outcome: 'claimed'; readonly event: ClaimedWebhook }
  /** Delivered, given up or missed, or its endpoint is disabled: nothing is to be delivered. */
  | { readonly outcome: 'done' }
  /** The next attempt is due in so many milliseconds; what the last one met. */
  | { readonly outcome: 'not_due'; readonly waitMs: number; readonly last: MadeAttempt }
  /** Another worker sends it. */
  | { readonly outcome: 'under_way' };

/** How an attempt went: a status, or why no answer came. */
export interface MadeAttempt {
  /** Its number in the schedule, from 1. */
  readonly number: number;
  readonly status: number | null;
  readonly error: string | null;
}

export interface WebhookAttempt {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
  readonly answerExcerpt: string | null;
  /** What the attempt leaves the event in. */
  readonly result: 'delivered' | 'retry' | 'exhausted';
  /** With `retry`: milliseconds until the next attempt is due. */
  readonly retryInMs: number | null;
}

/** What a recorded attempt means for the next ones. */
export interface SentWebhook extends MadeAttempt {
  /** Until the next attempt is due; null where none is. The events of a disabled endpoint are skipped. */
  readonly retryInMs: number | null;
  /** Whether the endpoint may be sent the next event at once. */
  readonly takesMore: boolean;
}

/** An enabled endpoint with events that are due and that nobody sends. */
export interface WaitingEndpoint {
  readonly partnerId: PartnerId;
  /** Whether it did not take what it was last sent. */
  readonly isFailing: boolean;
}

export interface WebhookStore {
  /** Takes the event's lease; of any number of callers one gets it. */
  claim(eventId: EventId): Promise<WebhookClaim>;
  /** Takes the lease of the endpoint's first event that is due and left to the poller; undefined where there is none. */
  claimWaiting(partnerId: PartnerId): Promise<ClaimedWebhook | undefined>;
  /** Up to a hundred endpoints for which {@link claimWaiting} has something, in no order. */
  readWaiting(): Promise<readonly WaitingEndpoint[]>;
  /** Nobody has to be waited for any longer: the poller may send the event at once. */
  leaveToPoller(eventId: EventId): Promise<void>;
  /**
   * Records the attempt, and what it leaves event and endpoint in, by one statement. A delivery counts even when the lease has
   * run out meanwhile; any other result then leaves the event as it is.
   * @returns why the endpoint was disabled, if it was by this attempt
   */
  finish(event: ClaimedWebhook, attempt: WebhookAttempt): Promise<string | null>;
}
