// A payment whose payout was not begun, since all payouts are stopped (decision 127): it waits until the reconciler or an operator
// resumes it, and meanwhile its partner may cancel it, and operations may declare how it ended.
import { condition, setCurrentDetails } from '@temporalio/workflow';
import type { KnownPayout } from '../activities/payout';
import { cancelIfUnpaid, untilNothingIsUnderWay } from './cancel';
import type { Payment } from './payment';
import { orderOf, payOutUntilKnown, verify, type ResolvedPayout, type Verified } from './payout';
import { enter, type Held, type PendingResolution } from './phase';

/** `cancelled`: while it was held. */
export type SettledPayout = KnownPayout | ResolvedPayout | { readonly outcome: 'cancelled' };

type HoldEnd = Exclude<SettledPayout, KnownPayout> | { readonly outcome: 'resumed' };

/** Pays out, and is held up as often as payouts are stopped before it was begun. */
export async function payOutWhenAllowed(payment: Payment): Promise<SettledPayout> {
  for (;;) {
    const payout = await payOutUntilKnown(payment);
    if (payout.outcome !== 'stopped') return payout;
    const hold = await holdPayout(payment);
    // The next attempt reads the stops by itself.
    if (hold.outcome !== 'resumed') return hold;
  }
}

/** A cancel comes before a resolution, and both before the payout. */
async function holdPayout(payment: Payment): Promise<HoldEnd> {
  // An attempt that began before this moment may still be on its way.
  const sinceMs = Date.now();
  const phase = enter<Held>(payment, { name: 'held', cancels: [], resolutions: [] });
  const { cancels, resolutions } = phase;
  const resumesSeen = payment.resumes.all;
  let isOvertaken = false;
  for (;;) {
    setCurrentDetails(
      'Payouts are stopped, and this one was not begun. `payctl payouts show` says why.',
    );
    const isOver = () => isOvertaken || payment.resumes.all > resumesSeen;
    await condition(() => isOver() || cancels.length > 0 || resolutions.length > 0);
    if (cancels.length > 0) {
      const end = await cancelIfUnpaid(payment, phase, sinceMs);
      if (end === 'cancelled') return { outcome: 'cancelled' };
      if (end === 'overtaken') isOvertaken = true;
    }
    const request = resolutions.shift();
    if (request === undefined) {
      if (isOver()) return { outcome: 'resumed' };
    } else {
      const verified = await verifyNotBegun(payment, request, sinceMs);
      if (verified !== undefined) return { outcome: 'resolved', verified };
    }
  }
}

async function verifyNotBegun(
  payment: Payment,
  request: PendingResolution,
  sinceMs: number,
): Promise<Verified | undefined> {
  if (request.resolution.outcome === 'paid') {
    request.rejection = NOT_BEGUN;
    return undefined;
  }
  await untilNothingIsUnderWay(sinceMs);
  return verify(payment, orderOf(payment), request);
}

const NOT_BEGUN =
  'Payouts are stopped, and its row knows of none. Once they are allowed, the provider is asked about it, and it is captured if it was paid.';
