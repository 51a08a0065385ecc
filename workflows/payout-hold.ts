// A payment whose payout was not begun, since all payouts are stopped (decision 127): it waits until they are allowed, and
// meanwhile its partner may cancel it, and operations may declare how it ended.
import { CancellationScope, condition } from '@temporalio/workflow';
import type { KnownPayout } from '../activities/payout';
import { cancelIfUnpaid, untilNothingIsUnderWay } from './cancel';
import { tell, type Payment, type ResolutionAsk } from './payment';
import { DECIDED, judge, orderOf, payOutUntilKnown, refuse, type Resolved } from './payout';
import { awaitPayoutsAllowed } from './steps';

/** `cancelled`: while it was held. */
export type SettledPayout = KnownPayout | Resolved | { readonly outcome: 'cancelled' };

/** Pays out, and is held up as often as payouts are stopped before it was begun. */
export async function payOutWhenAllowed(payment: Payment): Promise<SettledPayout> {
  for (;;) {
    const end = await payOutUntilKnown(payment);
    if (end.outcome !== 'stopped') return end;
    const hold = await holdPayout(payment);
    if (hold.outcome !== 'allowed') return hold;
  }
}

type HoldEnd = Resolved | { readonly outcome: 'allowed' } | { readonly outcome: 'cancelled' };

async function holdPayout(payment: Payment): Promise<HoldEnd> {
  const hold = { sinceMs: Date.now(), resumesSeen: payment.resumesByOperations, isOver: false };
  const scope = new CancellationScope();
  const endHold = () => {
    hold.isOver = true;
  };
  // Whatever ends the waiting, an operator's hand too: the attempt looks at the stops by itself.
  const waiting = scope.run(() => awaitPayoutsAllowed()).then(endHold, endHold);
  payment.isPayoutDecided = false;
  payment.isResolvable = true;
  const end = await untilEnded(payment, hold);
  scope.cancel();
  await waiting;
  return end;
}

interface Hold {
  readonly sinceMs: number;
  readonly resumesSeen: number;
  /** Whether payouts are allowed again, or it was begun all the same. */
  isOver: boolean;
}

/** A cancel comes before a declaration, and both before the payout. Nothing may be awaited between what ends it and `leave`. */
async function untilEnded(payment: Payment, hold: Hold): Promise<HoldEnd> {
  const isOver = () => hold.isOver || payment.resumesByOperations > hold.resumesSeen;
  for (;;) {
    tell('Payouts are stopped, and this one was not begun. `payctl payouts show` says why.');
    await condition(() => isOver() || payment.isCancelAsked || payment.resolving !== null);
    const cancel = payment.isCancelAsked ? await cancelIfUnpaid(payment, hold.sinceMs) : undefined;
    if (cancel === 'cancelled') return leave(payment, { outcome: 'cancelled' });
    if (cancel === 'overtaken') hold.isOver = true;
    const ask = payment.resolving;
    if (ask === null) {
      if (isOver()) return leave(payment, { outcome: 'allowed' });
    } else if (await isDeclared(payment, ask, hold.sinceMs)) {
      return leave(payment, { outcome: 'resolved', ask });
    }
  }
}

async function isDeclared(payment: Payment, ask: ResolutionAsk, sinceMs: number): Promise<boolean> {
  if (ask.resolution.outcome === 'paid') {
    refuse(payment, ask, NOT_BEGUN);
    return false;
  }
  await untilNothingIsUnderWay(sinceMs);
  return judge(orderOf(payment), payment, ask);
}

const NOT_BEGUN =
  'Payouts are stopped, and its row knows of none. Once they are allowed, the provider is asked about it, and it is captured if it was paid.';

function leave(payment: Payment, end: HoldEnd): HoldEnd {
  payment.isPayoutDecided = true;
  payment.isResolvable = false;
  payment.isCancelAsked = false;
  if (end.outcome === 'cancelled' && payment.resolving !== null) {
    refuse(payment, payment.resolving, DECIDED);
  }
  return end;
}
