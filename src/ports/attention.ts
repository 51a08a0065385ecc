// What waits for people or for a worker, in numbers: what operations are alarmed by (docs/operations.md).
import type { StopKind } from './payouts/stops';

export interface AttentionFigures {
  readonly needingAttention: Backlog;
  /** Authorized for more than a minute, by whether attention is raised. */
  readonly slowToSettle: { readonly told: number; readonly untold: number };
  /** Webhook events that are to be delivered. */
  readonly pendingEvents: Backlog;
  /** Those that were not sent because their endpoint is, or was, disabled; counted no further than ten thousand. */
  readonly skippedEvents: number;
  readonly disabledEndpoints: number;
  /** Why payouts are stopped; none where they are not. */
  readonly stopsInForce: readonly StopKind[];
  /** Since the watch over restores has counted (decision 127). */
  readonly restoreWatchAgeSeconds: number;
}

export interface Backlog {
  /** Counted no further than ten thousand. */
  readonly count: number;
  /** The age of the oldest; 0 where there is none. */
  readonly oldestSeconds: number;
}

export interface AttentionWatch {
  /** One bounded statement. @throws when the database cannot tell. */
  read(): Promise<AttentionFigures>;
}
