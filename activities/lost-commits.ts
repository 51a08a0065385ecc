// What a workflow reports when its row is missing, or newer than itself: Postgres has lost commits (decision 127).
import type { IntentId } from '../src/domain/ids';
import type { PaymentStart } from '../src/domain/payment-start';
import type { Log } from '../src/ports/log';
import type { LostCommits } from '../src/ports/lost-commits';

export interface LostCommitsActivities {
  /**
   * Stops all payouts when the start proves that the row was committed.
   * @returns false when it does not: started by hand, or by another installation
   */
  reportMissingRow(payment: PaymentStart): Promise<boolean>;
  /** @param createdAtMs of the row that was lost */
  reportRecreatedRow(intentId: IntentId, createdAtMs: number): Promise<void>;
}

export interface LostCommitsDependencies {
  readonly lostCommits: LostCommits;
  readonly installationId: string;
  readonly log: Log;
}

export function createLostCommitsActivities({
  lostCommits,
  installationId,
  log,
}: LostCommitsDependencies): LostCommitsActivities {
  return {
    async reportMissingRow(payment) {
      const about = { intent_id: payment.intentId };
      if (payment.installationId !== installationId) {
        log.warn(about, 'a workflow was started for an intent that does not exist; it fails');
        return false;
      }
      await lostCommits.reportMissingRow(new Date(payment.createdAtMs));
      log.error(about, 'the row of a workflow is missing: Postgres lost commits');
      return true;
    },
    async reportRecreatedRow(intentId, createdAtMs) {
      await lostCommits.reportRecreatedRow(intentId, new Date(createdAtMs));
      log.error(
        { intent_id: intentId },
        'an intent was created again whose workflow is older: Postgres lost commits',
      );
    },
  };
}
