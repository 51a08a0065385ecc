// Logging without a logging library. Never pass a secret, token, signature or QR payload: redaction
// is only the second line of defence.
import type { About } from '../domain/errors';
import type { Corridor } from '../corridors/names';
import type { IntentId } from '../domain/ids';
import type { AttentionKind } from '../domain/intents/attention';
import type { PayoutOutcome } from './payout-provider';
import type { StopKind } from './restores';

type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** The log line of one request. It holds nothing that a caller sent but ids we know. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  /** The route's template, without ids. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly about: About;
  /** The internal cause of a rejection, which the caller does not see. */
  readonly rejection: string | undefined;
  /** The name of the member of body or token that was not valid, never its value. */
  readonly member: string | undefined;
}

export interface RequestLog {
  answered(line: RequestLine): void;
}

// Metrics without a metrics library.

export interface Metrics {
  /** One HTTP request answered; `route` is the route's template, never a path with ids in it. */
  requestAnswered(route: string, method: string, status: number, seconds: number): void;
  /**
   * One request rejected for its credentials, by the internal cause, which the caller does not see.
   * @param kind `signed_request` or `session_token`
   */
  credentialsRejected(kind: string, reason: string): void;
  /** The number of requests in progress has changed. */
  requestsInProgress(count: number): void;
  /** Result of looking up a token's `kid`: a hit in the cache, or the result of a fetch. */
  keySetLookedUp(outcome: KeySetOutcome): void;
  /** A key of a fetched set is not used. */
  keySkipped(reason: 'private_members' | 'not_usable'): void;
}

/** `throttled`: not fetched, because the partner's refetch bucket is empty (decision 110). */
type KeySetOutcome = 'hit' | 'fetched' | 'refetched' | 'failed' | 'throttled';

/** A worker's metrics of the funds-holding account. */
export interface HoldingAccountMetrics {
  /** The balance in USD cents; null if it could not be read. */
  holdingBalanceRead(balanceUsdCents: number | null): void;
}

/** A worker's metrics of payouts. */
export interface PayoutMetrics {
  /** One call to the provider, an order or a query, with the time until its answer. */
  payoutRequested(corridor: Corridor, result: PayoutOutcome['outcome'], seconds: number): void;
}

/** A worker's metrics of webhooks. */
export interface WebhookMetrics {
  /** One attempt, by the state of its event afterwards. */
  webhookAttempted(result: 'delivered' | 'retry' | 'exhausted'): void;
}

// The backlog figures behind the alarms of docs/operations.md.

export interface AttentionFigures {
  readonly needingAttention: {
    /** Payments by each kind that is open, counted up to ten thousand in all. */
    readonly byKind: Readonly<Record<AttentionKind, number>>;
    /** The newest of them, at most twenty. */
    readonly newest: readonly NamedAttention[];
    /** Age of the oldest; 0 if there is none. */
    readonly oldestSeconds: number;
  };
  /** Payments authorized for more than a minute, with and without attention. */
  readonly slowToSettle: { readonly withAttention: number; readonly withoutAttention: number };
  /** Webhook events to be delivered. */
  readonly pendingEvents: Backlog;
  /** Events not sent because their endpoint is or was disabled. Counted up to ten thousand. */
  readonly skippedEvents: number;
  readonly disabledEndpoints: number;
  /** Kinds of the stops in force; empty if payouts are allowed. */
  readonly stopsInForce: readonly StopKind[];
  /** Seconds since the last tick of the restore watch (decision 127). */
  readonly restoreWatchAgeSeconds: number;
  /** What one operator decided alone in the last day, without a second person. */
  readonly decidedAlone: number;
}

interface NamedAttention {
  readonly intentId: IntentId;
  readonly kind: AttentionKind;
  readonly corridor: string;
}

interface Backlog {
  /** Counted up to ten thousand. */
  readonly count: number;
  /** Age of the oldest; 0 if there is none. */
  readonly oldestSeconds: number;
}

export interface AttentionWatch {
  /** One bounded statement. @throws DomainError `unavailable` */
  read(): Promise<AttentionFigures>;
}
