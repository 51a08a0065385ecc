// Ends a payment that was not paid out: a cancel of one that is authorized (decision 25), where the row decides and gives the debit
// back, and what ends one that is created.
import { setCurrentDetails, sleep } from '@temporalio/workflow';
import { isSettled } from '../src/domain/intents/transitions';
import { PAYOUT_SENDING_MAX_SECONDS } from '../src/domain/limits';
import type { TransitionReport } from '../src/domain/intents/transition';
import {
  raiseAttention,
  record,
  showStatus,
  type Authorization,
  type Change,
  type Payment,
} from './payment';
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
  setCurrentDetails('A cancel: querying the provider for the payout.');
  showStatus(payment);
  await untilNothingIsUnderWay(sinceMs);
  const isUnpaid = await isKnownUnpaid(orderOf(payment));
  // The provider is asked for a day whether it still has no such payout.
  const end = isUnpaid
    ? await cancel(payment, { resolvedAs: 'cancelled', isKnownUnpaid: true })
    : 'refused';
  return answered(payment, phase, end === 'unasked' ? 'refused' : end);
}

export async function untilNothingIsUnderWay(sinceMs: number): Promise<void> {
  const waitMs = sinceMs + PAYOUT_SENDING_MAX_SECONDS * 1_000 - Date.now();
  if (waitMs > 0) await sleep(waitMs, { summary: 'A sending may be on its way' });
}

async function cancel(
  payment: Payment,
  word: Pick<Change, 'resolvedAs' | 'isKnownUnpaid'> = {},
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

/**
 * A created intent ends without a payment: it expires, or its partner cancels it. After Postgres has lost commits, or where an earlier
 * attempt at the first task may have paid, the provider is queried first (decisions 127 and 135). The report says whether it ended: `stopped` and `unasked` leave the
 * intent created.
 */
export async function endUnpaid(
  payment: Payment,
  change: Change & { readonly event: 'expire' | 'cancel' },
): Promise<TransitionReport> {
  const first = payment.mayHaveBeenSent ? { isKnownUnpaid: false } : {};
  const report = await record(payment, { ...change, ...first });
  if (report.outcome !== 'unasked') return report;
  setCurrentDetails(
    'Asking the provider whether it has the payout: the row may have forgotten it.',
  );
  await untilNothingIsUnderWay(Date.now());
  if (await isKnownUnpaid(orderOf(payment))) {
    return record(payment, { ...change, isKnownUnpaid: true });
  }
  await raiseAttention(payment, MAY_BE_PAID);
  return report;
}

const MAY_BE_PAID =
  'The row says that this payment was never confirmed, and its provider does not say that it has no payout of it. See docs/restore.md.';

const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 600_000;

/** How long until the deadline is tried again: a stop for a restore may last for days. */
export function delayMs(delays: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** delays, LONGEST_DELAY_MS);
}
