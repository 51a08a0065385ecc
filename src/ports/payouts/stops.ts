// The stop of all payouts, by operations or by the watch over restores (decision 127). A payout that has begun may still land; no
// other is sent until operations allow payouts again.

/**
 * `restore`: Postgres was put back to an earlier time, or operations say that a database was. `temporal_restore`: Temporal alone
 * was. `watch_gap`: the two were not compared for so long that both may have been. All three count as a stop for a restore.
 */
export type StopKind = 'operator' | 'restore' | 'temporal_restore' | 'watch_gap';

export interface PayoutStops {
  /** Whether that was new: not where the same actor has stopped them for the same reason already. */
  stop(stop: PayoutStopping): Promise<boolean>;
}

export interface PayoutStopping {
  readonly actor: string;
  readonly reason: string;
  readonly kind: StopKind;
  /** Of a `watch_gap` alone: when Postgres and Temporal were last compared before it. */
  readonly gapSince?: Date;
}
