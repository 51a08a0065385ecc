// A cancel of a payment that is authorized and was not paid out (decision 25): the row decides, and gives the debit back.
import { setCurrentDetails, sleep } from '@temporalio/workflow';
import { isSettled } from '../src/domain/intent-transitions';
import { PAYOUT_ATTEMPT_WHOLE_SECONDS } from '../src/domain/limits';
import { record, type Authorization, type Change, type Payment } from './payment';
import { orderOf } from './payout';
import type { PendingCancel } from './phase';
import { isKnownUnpaid } from './steps';

/** `refused`: the provider does not deny that it has the payout. `overtaken`: the row does not allow it any more. */
type CancelEnd = 'cancelled' | 'refused' | 'overtaken';

interface Cancels {
  readonly cancels: PendingCancel[];
}

/**
 * Before anything was sent. A workflow that did not authorize the payment itself has only the rows for that, and they may
 * have been restored, so it asks the provider too.
 */
export async function isCancelledBeforePayout(
  payment: Payment,
  phase: Cancels,
  { isOwn }: Authorization,
): Promise<boolean> {
  if (phase.cancels.length === 0) return false;
  const end = isOwn ? await cancel(payment) : 'unasked';
  // The row may have been restored, so that it no longer knows whether the payout was sent.
  const ended =
    end === 'unasked'
      ? await cancelIfUnpaid(payment, phase, Date.now())
      : answered(payment, phase, end);
  return ended === 'cancelled';
}

/**
 * While the rows may have forgotten that it was sent.
 * @param sinceMs when the workflow first knew that nothing is begun: an earlier attempt may be on its way for a while longer
 */
export async function cancelIfUnpaid(
  payment: Payment,
  phase: Cancels,
  sinceMs: number,
): Promise<CancelEnd> {
  setCurrentDetails('A cancel: asking the provider whether it has the payout.');
  await untilNothingIsUnderWay(sinceMs);
  const isUnpaid = await isKnownUnpaid(orderOf(payment));
  // The provider is asked for a day whether it still has no such payout.
  const end = isUnpaid
    ? await cancel(payment, { declared: 'cancelled', isKnownUnpaid: true })
    : 'refused';
  return answered(payment, phase, end === 'unasked' ? 'refused' : end);
}

export async function untilNothingIsUnderWay(sinceMs: number): Promise<void> {
  const waitMs = sinceMs + PAYOUT_ATTEMPT_WHOLE_SECONDS * 1_000 - Date.now();
  if (waitMs > 0) await sleep(waitMs, { summary: 'An attempt may be on its way' });
}

async function cancel(
  payment: Payment,
  word: Pick<Change, 'declared' | 'isKnownUnpaid'> = {},
): Promise<CancelEnd | 'unasked'> {
  setCurrentDetails('Cancelling: releasing the debit.');
  const { outcome } = await record(payment, { event: 'cancel', actor: 'partner', ...word });
  if (outcome === 'unasked') return outcome;
  if (outcome === 'stopped') return 'refused';
  return isSettled(payment.status) ? 'cancelled' : 'overtaken';
}

/** Answers every cancel that came by now. */
function answered(payment: Payment, { cancels }: Cancels, end: CancelEnd): CancelEnd {
  if (end === 'refused') payment.cancelRejectedAtMs = Date.now();
  for (const request of cancels.splice(0)) request.isAnswered = true;
  return end;
}
