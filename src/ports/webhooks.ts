// Webhook events and the attempts to deliver them (decisions 17 to 19). Only the holder of an
// event's lease may send it.
import type { EventId, IntentId, PartnerId } from '../domain/ids';

/** An event whose lease the caller holds, with the endpoint as it was when the lease began. */
export interface ClaimedWebhook {
  readonly eventId: EventId;
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  /** The exact text of the body, the same on every attempt. */
  readonly body: string;
  /** Attempts recorded so far. The schedule counts these, not Temporal's attempts. */
  readonly attempts: number;
  /** Attempts before the last replay, which began the schedule anew. */
  readonly attemptsReplayed: number;
  readonly url: string;
  /** `whsec_…`, unsealed; two during a rotation. Never log them. */
  readonly secrets: readonly string[];
  readonly lease: string;
}

export type WebhookClaim =
  | { readonly outcome: 'claimed'; readonly event: ClaimedWebhook }
  /** Nothing to deliver: delivered, exhausted or skipped, or the endpoint is disabled. */
  | { readonly outcome: 'done' }
  /** The next attempt is due in `waitMs`; `last` is the one before. */
  | { readonly outcome: 'not_due'; readonly waitMs: number; readonly last: MadeAttempt }
  /** Another worker holds the lease. */
  | { readonly outcome: 'under_way' };

/** The result of an attempt: a status, or why no answer came. */
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
  /** The state of the event after the attempt. */
  readonly result: 'delivered' | 'retry' | 'exhausted';
  /** With `retry`: milliseconds until the next attempt is due. */
  readonly retryInMs: number | null;
}

/** A recorded attempt, and its consequence for the next. */
export interface SentWebhook extends MadeAttempt {
  /** Milliseconds until the next attempt; null if there is none. */
  readonly retryInMs: number | null;
  /** Whether the endpoint may get its next event at once. */
  readonly takesMore: boolean;
}

/** An enabled endpoint with due events that have no lease. */
export interface WaitingEndpoint {
  readonly partnerId: PartnerId;
  /** Whether its last attempt failed. */
  readonly isFailing: boolean;
}

export interface WebhookStore {
  /** Takes the event's lease. Of any number of callers one gets it. */
  claim(eventId: EventId): Promise<WebhookClaim>;
  /** Takes the lease of the endpoint's first due event; undefined if there is none. */
  claimWaiting(partnerId: PartnerId): Promise<ClaimedWebhook | undefined>;
  /** Up to a hundred endpoints for which {@link claimWaiting} finds an event, in any order. */
  readWaiting(): Promise<readonly WaitingEndpoint[]>;
  /** Lets the poller send the event at once. */
  leaveToPoller(eventId: EventId): Promise<void>;
  /**
   * Records the attempt and the new state of event and endpoint in one statement. If the lease has
   * expired, a delivery still counts, but any other result does not change the event.
   * @returns the reason if this attempt disabled the endpoint, else null
   */
  finish(event: ClaimedWebhook, attempt: WebhookAttempt): Promise<string | null>;
}

// Delivers one signed attempt (decision 18: Standard Webhooks).

export interface WebhookPost {
  readonly url: string;
  /** The `webhook-id`, the same on every attempt. */
  readonly eventId: string;
  /** The `webhook-timestamp` of this attempt. */
  readonly sentAt: Date;
  readonly body: string;
  /** One signature is sent for each; two during a rotation. Never log them. */
  readonly secrets: readonly string[];
}

export type WebhookReply =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly excerpt: string }
  /** No answer; a short text such as `timeout after 15 s`. */
  | { readonly error: string };

export interface WebhookSender {
  /**
   * Signs and posts once, without redirects, bounded in time and answer size.
   * @throws only if its activity is cancelled because the worker stops
   */
  post(message: WebhookPost): Promise<WebhookReply>;
}
