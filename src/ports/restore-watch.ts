// What notices that Postgres or Temporal was put back to an earlier time: both count, and the counts are compared (decision 127).
import type { Tick, WatchState } from '../domain/restore';

export interface RestoreWatch {
  /**
   * Counts once more where Postgres' count is the one known, and answers the same to a repeat. Elsewhere it counts nothing. Stops
   * payouts first where the last tick is older than is allowed.
   * @param known what Temporal remembers
   */
  tick(known: WatchState): Promise<Tick>;
}
