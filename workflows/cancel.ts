// A cancel of a payment that is authorized and was not paid out (decision 25): the row decides, and gives the debit back.
import { patched } from '@temporalio/workflow';
import { isSettled } from '../src/domain/intent-transitions';
import { record, tell, type Payment } from './payment';
import { orderOf } from './payout';
import { isKnownUnpaid } from './steps';

/**
 * Before anything was sent. A run that began beside an authorized row does not know that by itself: the rows say so, and they
 * may have been restored, so that the provider is asked too.
 */
export function cancelBeforePayout(payment: Payment): Promise<boolean> {
  const isBegunLate = payment.input.status === 'authorized';
  return cancel(payment, isBegunLate && patched('cancel-asks-the-provider'));
}

/** While payouts are stopped, maybe for a restore: the rows may have forgotten that it was sent. */
export function cancelWhileHeld(payment: Payment): Promise<boolean> {
  return cancel(payment, true);
}

/** True when the payment is cancelled; false when row or provider do not allow it, and the payout is concluded instead. */
async function cancel(payment: Payment, isProviderAsked: boolean): Promise<boolean> {
  payment.isCancelAsked = false;
  tell('Cancelling: releasing the debit.');
  if (!isProviderAsked || (await isKnownUnpaid(orderOf(payment)))) {
    await record(payment, { event: 'cancel', actor: 'partner' });
  }
  payment.cancelsJudged += 1;
  return isSettled(payment.status);
}
