// Signs that Postgres has lost commits, or that Postgres or Temporal was restored (decision 127).
import type { IntentId } from '../../domain/ids';
import type { Tick, WatchState } from '../../domain/restore';

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
