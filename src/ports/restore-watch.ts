// What notices that Postgres or Temporal was put back to an earlier time: both count, and the counts are compared (decision 127).
import type { Tick } from '../domain/restore';

export interface RestoreWatch {
  /**
   * Counts once more where Postgres' count is the one known, and answers the same to whoever repeats it. Elsewhere it changes nothing.
   * @param known the count that Temporal remembers
   */
  tick(known: number): Promise<Tick>;
}
