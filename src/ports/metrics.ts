// What everything outside the composition roots is handed instead of a metrics library.

export interface Metrics {
  /** One HTTP request answered; `route` is the route's template, never a path with ids in it. */
  requestAnswered(route: string, method: string, status: number, seconds: number): void;
  /** One request refused for its credentials, by the true cause that the caller is never told. */
  credentialsRefused(kind: 'signed_request' | 'session_token', reason: string): void;
}
