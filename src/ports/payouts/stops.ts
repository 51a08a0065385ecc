// Stops of all payouts, by an operator or by the restore watch (decision 127). A payout that has
// begun may still arrive; no other is sent until an operator allows payouts again.

/**
 * `restore`: Postgres was restored, or an operator says that a database was. `temporal_restore`:
 * Temporal alone was. `watch_gap`: the two were not compared for so long that both may have been
 * restored. All three count as a stop for a restore.
 */
export type StopKind = 'operator' | 'restore' | 'temporal_restore' | 'watch_gap';

export interface PayoutStops {
  /**
   * Returns false if the same actor has a stop with the same reason in force. One for a restore is
   * made anew, as of now.
   */
  stop(stop: PayoutStopping): Promise<boolean>;
}

export interface PayoutStopping {
  readonly actor: string;
  readonly reason: string;
  readonly kind: StopKind;
  /** Only for `watch_gap`: when Postgres and Temporal were last compared. */
  readonly gapSince?: Date;
}
