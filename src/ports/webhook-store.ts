// Webhook events as written with their transition, who is sending them, and every attempt to deliver them (decisions 17
// to 19). Whoever sends holds events and places at their endpoint, both by a lease that runs out by itself.
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

/** A place at an endpoint, or several, under one lease: from each one event is sent at a time. */
export interface WebhookHolding {
  readonly lease: string;
  readonly partnerId: PartnerId;
  readonly url: string;
  /** `whsec_…`, opened from their seals; two while a secret rotates. Never log them. */
  readonly secrets: readonly string[];
  /** Of both: once operations have changed them, nothing further is given to be sent by these. */
  readonly mark: string;
}

export type WebhookClaim =
  | {
      readonly outcome: 'claimed';
      readonly holding: WebhookHolding;
      readonly event: WebhookDelivery;
    }
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

export interface WebhookRecord {
  /** In the order in which they ended. */
  readonly attempts: readonly WebhookAttempt[];
  /** Given back: others may send them at once. */
  readonly unsent: readonly WebhookDelivery[];
  /** How many further events are taken, if they wait there. */
  readonly wanted: number;
  /**
   * What else this holding has taken, and not recorded. Told by who has every place of the endpoint: nobody else sends there
   * until it frees them, so what it takes further is not leased one by one.
   */
  readonly inHand?: readonly WebhookDelivery[] | undefined;
  /** Nothing else of this holding is under way: its places are freed, unless there is a further event to be sent. */
  readonly isLast: boolean;
}

export interface WebhookNext {
  readonly events: readonly WebhookDelivery[];
  /** Why the endpoint was disabled, if it was by these attempts. */
  readonly disabledReason: string | null;
}

export interface WebhookStore {
  /** Takes the event and a place at its endpoint, both or neither; of any number of callers one gets the event. */
  claim(eventId: EventId): Promise<WebhookClaim>;
  /**
   * Takes up to so many more places, of which no more than there are chunks of events that wait there and that nobody has leased.
   * @returns how many
   */
  takePlaces(holding: WebhookHolding, places: number): Promise<number>;
  /**
   * Records attempts, and what they leave events and endpoint in; gives events back, takes further ones, frees the places.
   * One statement, which others of this process share. An attempt that happened is told even when its lease has run out
   * meanwhile; what others have begun by then goes on.
   */
  finish(holding: WebhookHolding, record: WebhookRecord): Promise<WebhookNext>;
}
