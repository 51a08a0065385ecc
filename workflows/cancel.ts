// A cancel of a payment that is authorized and was not paid out (decision 25): the row decides, and gives the debit back.
import { sleep } from '@temporalio/workflow';
import { isSettled } from '../src/domain/intent-transitions';
import { PAYOUT_ATTEMPT_WHOLE_SECONDS } from '../src/domain/limits';
import { record, tell, type Change, type Payment } from './payment';
import { orderOf } from './payout';
import { isKnownUnpaid } from './steps';

/** `refused`: the provider does not deny that it has the payout. `overtaken`: the row does not allow it any more. */
type CancelEnd = 'cancelled' | 'refused' | 'overtaken';

/**
 * Before anything was sent. A workflow that did not authorize the payment itself has only the rows for that, and they may
 * have been restored, so it asks the provider too.
 */
export async function cancelBeforePayout(payment: Payment): Promise<CancelEnd> {
  return payment.isAuthorizedHere ? cancel(payment) : cancelIfUnpaid(payment, Date.now());
}

/**
 * While the rows may have forgotten that it was sent.
 * @param sinceMs when the run first knew that nothing is begun: what was begun before may be on its way for a while longer
 */
export async function cancelIfUnpaid(payment: Payment, sinceMs: number): Promise<CancelEnd> {
  tell('A cancel: asking the provider whether it has the payout.');
  await untilNothingIsUnderWay(sinceMs);
  if (await isKnownUnpaid(orderOf(payment))) {
    return cancel(payment, { declared: 'cancelled', isKnownUnpaid: true });
  }
  payment.cancelRefusedAtMs = Date.now();
  return answered(payment, 'refused');
}

export async function untilNothingIsUnderWay(sinceMs: number): Promise<void> {
  const waitMs = sinceMs + PAYOUT_ATTEMPT_WHOLE_SECONDS * 1_000 - Date.now();
  if (waitMs > 0) await sleep(waitMs, { summary: 'What may be on its way' });
}

/** @param word given where only the provider could say that nothing was sent: it is asked for a day whether it still says so */
async function cancel(
  payment: Payment,
  word: Pick<Change, 'declared' | 'isKnownUnpaid'> = {},
): Promise<CancelEnd> {
  tell('Cancelling: releasing the debit.');
  const { outcome } = await record(payment, { event: 'cancel', actor: 'partner', ...word });
  // The row may have been restored, so that it no longer knows whether the payout was sent.
  if (outcome === 'unasked') return cancelIfUnpaid(payment, Date.now());
  if (outcome === 'stopped') {
    payment.cancelRefusedAtMs = Date.now();
    return answered(payment, 'refused');
  }
  return answered(payment, isSettled(payment.status) ? 'cancelled' : 'overtaken');
}

/** Lets whoever has asked for a cancel by now be told. */
function answered(payment: Payment, end: CancelEnd): CancelEnd {
  payment.isCancelAsked = false;
  payment.cancelsJudged += 1;
  return end;
}
