// What everything outside the composition roots is handed instead of a metrics library.

export interface Metrics {
  /** One HTTP request answered; `route` is the route's template, never a path with ids in it. */
  requestAnswered(route: string, method: string, status: number, seconds: number): void;
  /**
   * One request refused for its credentials, by the true cause that the caller is never told.
   * @param kind `signed_request` or `session_token`
   */
  credentialsRejected(kind: string, reason: string): void;
  /** What a token's `kid` found: its key in the remembered set, or a fetch of the partner's key set that ended so. */
  keySetLookedUp(outcome: KeySetOutcome): void;
}

/** `throttled`: no fetch was made, since the partner's bucket of refetches is empty (decision 110). */
export type KeySetOutcome = 'hit' | 'fetched' | 'refetched' | 'failed' | 'throttled';

/** What a worker tells of the funds-holding account. */
export interface HoldingAccountMetrics {
  /** The balance in USD cents, or null while it cannot be read. */
  holdingBalanceRead(balanceUsdCents: number | null): void;
}

/** What a worker tells of webhooks. */
export interface WebhookMetrics {
  /** One attempt, by what it left its event in. */
  webhookAttempted(result: 'delivered' | 'retry' | 'exhausted'): void;
}
