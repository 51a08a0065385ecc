// Webhook events as written with their transition, who is sending them, and every attempt to deliver them (decisions 17
// to 19). Whoever sends holds the event and a place at its endpoint, both by leases that run out by themselves.
import type { EventId, PartnerId } from '../domain/ids';

export interface WebhookDelivery {
  readonly eventId: EventId;
  /** The exact text of the body, the same on every attempt. */
  readonly body: string;
  /** Attempts recorded so far; the schedule goes by these and not by Temporal's counter (architecture, section 3). */
  readonly attempts: number;
  /** Those of them that were made before the schedule last began: a replay begins it anew. */
  readonly attemptsReplayed: number;
}

/** A place at an endpoint, with the events that are sent from it. Until the lease runs out they are nobody else's. */
export interface WebhookHolding {
  readonly lease: string;
  readonly partnerId: PartnerId;
  readonly place: number;
  readonly url: string;
  /** `whsec_…`, opened from their seals; two while a secret rotates. Never log them. */
  readonly secrets: readonly string[];
  readonly events: readonly WebhookDelivery[];
}

export type WebhookClaim =
  | { readonly outcome: 'claimed'; readonly holding: WebhookHolding }
  /** Delivered, given up or missed, or its endpoint is disabled: nothing is owed. */
  | { readonly outcome: 'done' }
  /** The next attempt is due in so many milliseconds; what the last one met, null if there was none. */
  | { readonly outcome: 'not_due'; readonly waitMs: number; readonly last: MadeAttempt | null }
  /** Somebody sends it; their lease ends in so many milliseconds. */
  | { readonly outcome: 'under_way'; readonly waitMs: number }
  /** As many as may be are under way to its endpoint. It has been due for so many milliseconds. */
  | { readonly outcome: 'busy'; readonly dueForMs: number };

/** How an attempt went: a status, or why no answer came. */
export interface MadeAttempt {
  /** Its number in the schedule, from 1. */
  readonly number: number;
  readonly status: number | null;
  readonly error: string | null;
}

export interface WebhookAttempt {
  readonly event: WebhookDelivery;
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

export interface WebhookFinish {
  /** The next events from the same place, up to as many as were wanted; undefined when the place was freed. */
  readonly next: WebhookHolding | undefined;
  /** Why the endpoint was disabled, if it was by these attempts. */
  readonly disabledReason: string | null;
}

export interface WebhookStore {
  /** Takes the event and a place at its endpoint, both or neither; of any number of callers one gets the event. */
  claim(eventId: EventId): Promise<WebhookClaim>;
  /**
   * Records attempts of this holding, in the order in which they were made, and what they leave events and endpoint in;
   * gives its other events back, and takes up to `wanted` further ones, or frees the place. One statement.
   * An attempt that happened is told even when its lease has run out meanwhile; what others have begun by then goes on.
   */
  finish(
    holding: WebhookHolding,
    attempts: readonly WebhookAttempt[],
    wanted: number,
  ): Promise<WebhookFinish>;
}
