// A payment whose payout was not begun when all payouts were stopped, and whose run waits for their end (decision 127).
import type { PaymentStart } from '../../src/domain/payment-start';
import { createPayoutStops } from '../../src/postgres/payout-stops';
import { createGate } from '../faults/gates';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';

export const ANN = { actor: 'ann', reason: 'the provider pays twice' };

export interface Held {
  readonly payment: PaymentStart;
  readonly run: Awaited<ReturnType<PaymentWorld['start']>>;
}

type Wish = Pick<WorldOptions, 'workflowBundle' | 'provider'>;
type Work = (world: PaymentWorld, held: Held) => Promise<void>;

/** Payouts are stopped, a payment is confirmed, and the work begins when its run has waited for as long as an attempt may take. */
export function whileHeld(wish: Wish, work: Work): Promise<void> {
  return onceHeld(wish, async (world, held) => {
    await world.environment.sleep('20 seconds');
    await work(world, held);
  });
}

/** The same, at once. */
export async function onceHeld(options: Wish, work: Work): Promise<void> {
  const waits = createGate();
  const wrap: WorldOptions['wrap'] = (activities) => ({
    ...activities,
    awaitPayoutsAllowed: () => {
      waits.open();
      return activities.awaitPayoutsAllowed();
    },
  });
  await inPaymentWorld({ ...options, wrap }, async (world) => {
    await createPayoutStops(world.database).stop({ ...ANN, kind: 'operator' });
    const payment = await world.create();
    const run = await world.start(payment);
    const confirming = world.confirm(payment);
    await waits.isOpen;
    await work(world, { payment, run });
    await confirming;
  });
}
