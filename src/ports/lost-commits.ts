// What a workflow reports that shows that Postgres has lost commits (decision 127). Both stop all payouts, for a restore.
import type { IntentId } from '../domain/ids';

export interface LostCommits {
  /**
   * A row that was committed is not there. Idempotent: once people have lifted a stop that was made after the row's creation, the
   * same loss stops nothing again.
   */
  reportMissingRow(createdAt: Date): Promise<void>;
  /**
   * The intent has a workflow that is older than its row: the row was lost, and created again. From now on its provider is asked
   * before anything is sent, expired or cancelled. Idempotent. Once people have lifted a stop that was made after the first
   * creation, the same loss stops nothing again.
   * @param createdAt of the row that was lost; null where nobody knows
   */
  reportRecreatedRow(intentId: IntentId, createdAt: Date | null): Promise<void>;
}
