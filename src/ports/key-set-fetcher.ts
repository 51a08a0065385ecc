// Fetches a partner's published key set (protocol 4.5; decision 110).

export interface KeySetFetcher {
  /**
   * The JSON text at a registered key-set URL: bounded in time and size, no redirects.
   * @throws Error when it could not be had; the message names the cause for the log.
   */
  fetchKeySet(jwksUrl: string): Promise<unknown>;
}
