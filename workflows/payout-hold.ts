// A payment whose payout was not begun, since all payouts are stopped (decision 127): it waits until they are allowed, and
// meanwhile its partner may cancel it, and operations may declare how it ended.
import { CancellationScope, condition } from '@temporalio/workflow';
import type { KnownPayout } from '../activities/payout';
import { cancelWhileHeld } from './cancel';
import { tell, type Payment, type ResolutionAsk } from './payment';
import {
  DECIDED,
  ignoreCancellation,
  judge,
  orderOf,
  payOutUntilKnown,
  refuse,
  type Resolved,
} from './payout';
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
  const stop = { isOver: false };
  const scope = new CancellationScope();
  const waiting = scope
    .run(() => awaitPayoutsAllowed())
    .then(() => {
      stop.isOver = true;
    })
    .catch(ignoreCancellation);
  payment.isPayoutSent = false;
  payment.isResolvable = true;
  const end = await untilDecided(payment, stop);
  scope.cancel();
  await waiting;
  return end;
}

/** A cancel comes before a declaration, and both before the payout. Nothing may be awaited between what ends it and `leave`. */
async function untilDecided(
  payment: Payment,
  stop: { readonly isOver: boolean },
): Promise<HoldEnd> {
  for (;;) {
    tell('Payouts are stopped, and this one was not begun. `payctl payouts show` says why.');
    await condition(() => stop.isOver || payment.isCancelAsked || payment.resolving !== null);
    const ask: ResolutionAsk | null = payment.resolving;
    if (payment.isCancelAsked) {
      if (await cancelWhileHeld(payment)) return leave(payment, { outcome: 'cancelled' });
    } else if (ask === null) {
      return leave(payment, { outcome: 'allowed' });
    } else if (await judge(orderOf(payment), payment, ask)) {
      return leave(payment, { outcome: 'resolved', ask });
    }
  }
}

function leave(payment: Payment, end: HoldEnd): HoldEnd {
  payment.isPayoutSent = true;
  payment.isResolvable = false;
  if (end.outcome === 'cancelled' && payment.resolving !== null) {
    refuse(payment, payment.resolving, DECIDED);
  }
  return end;
}
