// A payment whose payout was not begun, since all payouts are stopped (decision 127): it waits until they are allowed, and
// meanwhile its partner may cancel it, and operations may declare how it ended.
import { CancellationScope, condition, setCurrentDetails } from '@temporalio/workflow';
import type { KnownPayout } from '../activities/payout';
import { cancelIfUnpaid, untilNothingIsUnderWay } from './cancel';
import type { Payment } from './payment';
import { orderOf, payOutUntilKnown, verify, type ResolvedPayout, type Verified } from './payout';
import { enter, type Held, type PendingResolution } from './phase';
import { awaitPayoutsAllowed } from './steps';

/** `cancelled`: while it was held. */
export type SettledPayout = KnownPayout | ResolvedPayout | { readonly outcome: 'cancelled' };

type HoldEnd = Exclude<SettledPayout, KnownPayout> | { readonly outcome: 'allowed' };

/** Pays out, and is held up as often as payouts are stopped before it was begun. */
export async function payOutWhenAllowed(payment: Payment): Promise<SettledPayout> {
  for (;;) {
    const payout = await payOutUntilKnown(payment);
    if (payout.outcome !== 'stopped') return payout;
    const hold = await holdPayout(payment);
    if (hold.outcome !== 'allowed') return hold;
  }
}

async function holdPayout(payment: Payment): Promise<HoldEnd> {
  const sinceMs = Date.now();
  const phase = enter<Held>(payment, { name: 'held', sinceMs, cancels: [], resolutions: [] });
  const resumesSeen = payment.resumes.byOperations;
  let isAllowed = false;
  const allow = () => {
    isAllowed = true;
  };
  const scope = new CancellationScope();
  // Whatever ends the waiting, an operator's hand too: the next attempt reads the stops by itself.
  const waiting = scope.run(() => awaitPayoutsAllowed()).then(allow, allow);
  const isOver = () => isAllowed || payment.resumes.byOperations > resumesSeen;
  const end = await untilDecided(payment, phase, isOver);
  scope.cancel();
  await waiting;
  return end;
}

/** A cancel comes before a resolution, and both before the payout. */
async function untilDecided(
  payment: Payment,
  phase: Held,
  isAllowed: () => boolean,
): Promise<HoldEnd> {
  const { cancels, resolutions } = phase;
  let isOvertaken = false;
  for (;;) {
    setCurrentDetails(
      'Payouts are stopped, and this one was not begun. `payctl payouts show` says why.',
    );
    const isOver = () => isOvertaken || isAllowed();
    await condition(() => isOver() || cancels.length > 0 || resolutions.length > 0);
    if (cancels.length > 0) {
      const end = await cancelIfUnpaid(payment, phase, phase.sinceMs);
      if (end === 'cancelled') return { outcome: 'cancelled' };
      if (end === 'overtaken') isOvertaken = true;
    }
    const request = resolutions.shift();
    if (request === undefined) {
      if (isOver()) return { outcome: 'allowed' };
    } else {
      const verified = await verifyNotBegun(payment, request, phase.sinceMs);
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
    request.refusal = NOT_BEGUN;
    return undefined;
  }
  await untilNothingIsUnderWay(sinceMs);
  return verify(payment, orderOf(payment), request);
}

const NOT_BEGUN =
  'Payouts are stopped, and its row knows of none. Once they are allowed, the provider is asked about it, and it is captured if it was paid.';
