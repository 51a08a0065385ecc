// The backlog figures behind the alarms of docs/operations.md.
import type { StopKind } from './payouts/stops';

export interface AttentionFigures {
  readonly needingAttention: Backlog;
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
}

/** A payment that did not need attention before. */
export interface RaisedAttention {
  readonly reason: string;
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
