// Activities about lost commits and stops of all payouts, for payments and the restore watch
// (decision 127). Each verifies first that the namespace is ours: the database of another
// installation proves no loss.
import type { IntentId } from '../src/domain/ids';
import type { PaymentStart } from '../src/domain/intents/payment-start';
import { WATCH_ACTOR, type Side, type Tick, type WatchState } from '../src/domain/restore';
import type { RowLoss } from '../src/ports/restores';
import type { PaymentDependencies } from './dependencies';

export function createRestoreActivities({
  payoutStops,
  lostCommits,
  restoreWatch,
  verifyNamespace,
  installationId,
  log,
}: PaymentDependencies) {
  return {
    /**
     * Stops all payouts if the workflow's start proves that its row was committed.
     * @returns false if it does not: the workflow was started by hand or by another installation
     */
    async reportMissingRow(payment: PaymentStart): Promise<boolean> {
      await verifyNamespace();
      const about = { intent_id: payment.intentId };
      if (payment.installationId !== installationId) {
        log.warn(about, 'a workflow was started for an intent that does not exist; it will fail');
        return false;
      }
      await lostCommits.reportMissingRow(new Date(payment.createdAtMs));
      log.error(about, 'the row of a workflow is missing: Postgres lost commits');
      return true;
    },

    /** @param createdAtMs of the row that was lost */
    async reportRow(loss: RowLoss, intentId: IntentId, createdAtMs: number): Promise<void> {
      await verifyNamespace();
      await lostCommits.reportRow(loss, intentId, new Date(createdAtMs));
      const what =
        loss === 'recreated'
          ? 'an intent was created again whose workflow is older'
          : 'a row lacks what its workflow has written';
      log.error({ intent_id: intentId }, `${what}: Postgres lost commits`);
    },

    async tickRestoreWatch(known: WatchState): Promise<Tick> {
      await verifyNamespace();
      return restoreWatch.tick(known);
    },

    async stopPayouts(reason: string, side: Side): Promise<void> {
      await verifyNamespace();
      const kind = side === 'temporal' ? 'temporal_restore' : 'restore';
      await payoutStops.stop({ actor: WATCH_ACTOR, reason, kind });
      log.error({ reason }, 'payouts are stopped until an operator allows them');
    },
  };
}
