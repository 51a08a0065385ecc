// Metrics without a metrics library.
import type { Corridor } from '../corridors/names';
import type { PayoutOutcome } from './payouts/provider';

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
