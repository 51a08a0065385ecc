// Stops of all payouts, by an operator or by the restore watch (decision 127). A payout that has
// begun may still arrive; no other is sent until an operator allows payouts again.
import type { IntentId } from '../domain/ids';
import type { Tick, WatchState } from '../domain/restore';

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

interface PayoutStopping {
  readonly actor: string;
  readonly reason: string;
  readonly kind: StopKind;
  /** Only for `watch_gap`: when Postgres and Temporal were last compared. */
  readonly gapSince?: Date;
}

// Signs that Postgres has lost commits, or that Postgres or Temporal was restored.

/** Reports by workflows. Both stop all payouts, as for a restore. */
export interface LostCommits {
  /**
   * A committed row is missing. Idempotent: once an operator has lifted a stop that is younger than
   * the row, the same loss stops nothing again.
   */
  reportMissingRow(createdAt: Date): Promise<void>;
  /**
   * An intent's row shows a loss. From now on the provider is queried before it is paid, expired or
   * cancelled. Idempotent; a lifted stop that is younger than the row is not repeated.
   * @param createdAt of the lost row; null if it is not known
   */
  reportRow(loss: RowLoss, intentId: IntentId, createdAt: Date | null): Promise<void>;
  /** Whether an operator may end the workflow of a lost row: it spends the approval. */
  permitClosing(intentId: IntentId, closing: Closing): Promise<boolean>;
}

export interface Closing {
  readonly actor: string;
  readonly evidence: string;
}

/**
 * `recreated`: the row is younger than its workflow. `behind`: it lacks what its workflow has
 * written.
 */
export type RowLoss = 'recreated' | 'behind';

/** Postgres' half of the restore watch: Postgres and Temporal keep the same count. */
export interface RestoreWatch {
  /**
   * Adds one if Postgres' count is the known one; a repeat returns the same. Otherwise adds
   * nothing. Stops payouts first if the last tick is too old.
   * @param known the state that Temporal holds
   */
  tick(known: WatchState): Promise<Tick>;
}
