// A created intent ends without a payment: it expires, or its partner cancels it. After Postgres has lost commits the provider is
// asked first whether it was paid all the same (decision 127).
import { setCurrentDetails } from '@temporalio/workflow';
import type { TransitionReport } from '../src/domain/transition';
import { untilNothingIsUnderWay } from './cancel';
import { raiseAttention, record, type Change, type Payment } from './payment';
import { orderOf } from './payout';
import { isKnownUnpaid } from './steps';

/** The report says whether it ended: `stopped` and `unasked` leave the intent created. */
export async function endUnpaid(
  payment: Payment,
  change: Change & { readonly event: 'expire' | 'cancel' },
): Promise<TransitionReport> {
  const report = await record(payment, change);
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
