// What shows that Postgres has lost commits, or that Postgres or Temporal was put back (decision 127).
import type { IntentId } from '../../domain/ids';
import type { Tick, WatchState } from '../../domain/restore';

/** What a workflow reports. Both stop all payouts, for a restore. */
export interface LostCommits {
  /**
   * A row that was committed is not there. Idempotent: once people have lifted a stop that was made after the row's creation, the
   * same loss stops nothing again.
   */
  reportMissingRow(createdAt: Date): Promise<void>;
  /**
   * The row of an intent shows a loss. From now on its provider is asked before anything is sent, expired or cancelled. Idempotent.
   * Once people have lifted a stop that was made after the row's creation, the same loss stops nothing again.
   * @param createdAt of the row that was lost; null where nobody knows
   */
  reportRow(loss: RowLoss, intentId: IntentId, createdAt: Date | null): Promise<void>;
}

/** `recreated`: its workflow is older than the row. `behind`: it does not say what its workflow has written. */
export type RowLoss = 'recreated' | 'behind';

/** What notices that Postgres or Temporal was put back to an earlier time: both count, and the counts are compared. */
export interface RestoreWatch {
  /**
   * Counts once more where Postgres' count is the one known, and answers the same to a repeat. Elsewhere it counts nothing. Stops
   * payouts first where the last tick is older than is allowed.
   * @param known what Temporal remembers
   */
  tick(known: WatchState): Promise<Tick>;
}
