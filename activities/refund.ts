// Why a payment is refunded: its money came back, or an operator decided it (decision 152).
import type { PaymentDependencies } from './dependencies';
import { query, type PayoutSubject } from './payout-decision';

type RefundDependencies = Pick<
  PaymentDependencies,
  'providers' | 'formerProviders' | 'payoutJournal' | 'paidAsks'
>;

export function createRefundActivities(dependencies: RefundDependencies) {
  const { payoutJournal, paidAsks } = dependencies;
  return {
    /** Queries the account of the row once; a silent provider leaves what the rows say. */
    async hasMoneyReturned(payout: PayoutSubject): Promise<boolean> {
      const order = await payoutJournal.readOrder(payout.intentId);
      const { answer } = await query({ ...payout, order }, dependencies);
      return paidAsks.recordReturn(payout.intentId, answer.outcome);
    },
  };
}
