// A payment whose payout has not begun because all payouts are stopped (decision 127). It waits
// until the workflow repairer or an operator resumes it. Meanwhile the partner may cancel it, and
// an operator may resolve it.
import { condition, setCurrentDetails } from '@temporalio/workflow';
import type { KnownPayout } from '../activities/payout';
import { cancelIfUnpaid, untilNothingIsUnderWay } from './cancel';
import type { Payment } from './payment';
import { isVerified, payOutUntilKnown, type ResolvedPayout } from './payout';
import { enter, type Delayed, type PendingResolution } from './phase';

/** `cancelled`: by the partner during the stop. */
export type SettledPayout = KnownPayout | ResolvedPayout | { readonly outcome: 'cancelled' };

type HoldResult = Exclude<SettledPayout, KnownPayout> | { readonly outcome: 'resumed' };

/** Pays out. Waits each time the payout cannot begin because payouts are stopped. */
export async function payOutWhenAllowed(payment: Payment): Promise<SettledPayout> {
  for (;;) {
    const payout = await payOutUntilKnown(payment);
    if (payout.outcome !== 'stopped') return payout;
    const hold = await holdPayout(payment);
    // The next attempt reads again whether payouts are stopped.
    if (hold.outcome !== 'resumed') return hold;
  }
}

/** A cancel comes before a resolution, and both before the payout. */
async function holdPayout(payment: Payment): Promise<HoldResult> {
  // An attempt that began before this moment may still be on its way.
  const sinceMs = Date.now();
  const phase = enter<Delayed>(payment, { name: 'delayed', cancels: [], resolutions: [] });
  const { cancels, resolutions } = phase;
  const resumesSeen = payment.resumes.all;
  let isOvertaken = false;
  for (;;) {
    setCurrentDetails(
      'Payouts are stopped, and this one has not begun. `payctl payouts show` says why.',
    );
    const isOver = () => isOvertaken || payment.resumes.all > resumesSeen;
    await condition(() => isOver() || cancels.length > 0 || resolutions.length > 0);
    if (cancels.length > 0) {
      const result = await cancelIfUnpaid(payment, phase, sinceMs);
      if (result === 'cancelled') return { outcome: 'cancelled' };
      if (result === 'overtaken') isOvertaken = true;
    }
    const request = resolutions.shift();
    if (request === undefined) {
      if (isOver()) return { outcome: 'resumed' };
    } else {
      if (await isNotBegun(payment, request, sinceMs)) return { outcome: 'resolved', request };
    }
  }
}

/** Whether the resolution as declined is verified. */
async function isNotBegun(
  payment: Payment,
  request: PendingResolution,
  sinceMs: number,
): Promise<boolean> {
  if (request.resolution.outcome === 'paid') {
    request.rejection = NOT_BEGUN;
    return false;
  }
  await untilNothingIsUnderWay(sinceMs);
  return isVerified(payment, request);
}

const NOT_BEGUN =
  'Payouts are stopped, and the row has no attempt. Once payouts are allowed, the provider is queried, and the payment is captured if it was paid.';
