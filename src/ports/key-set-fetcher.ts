// Fetches a partner's published key set (protocol 4.5; decision 110).

export interface KeySetFetcher {
  /**
   * Fetches the JSON at a registered key-set URL, bounded in time and size, without redirects.
   * @throws Error if that fails; the message names the cause for the log
   */
  fetchKeySet(jwksUrl: string): Promise<unknown>;
}
