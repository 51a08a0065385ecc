// Keeps single steps of single payments waiting until the test lets them go, so that races are decided by the order of
// events and not by time.
import type { PaymentActivities } from '../../../activities';
import type { PayoutOfRow } from '../../../activities/payout-subject';
import type { PayoutProvider } from '../../../src/ports/payouts/provider';
import { createGate, type Gate } from './gates';

/**
 * `payOut` is before the attempt is recorded, `order` between that and the order's way to the provider, `hear` when the run
 * is about to be told of a payout and the capture that went with it.
 */
export type HeldStep = HeldEvent | 'debit' | 'payOut' | 'order' | 'hear';

const HELD_EVENTS = ['authorize', 'capture', 'fail', 'cancel'] as const;
type HeldEvent = (typeof HELD_EVENTS)[number];

interface Held {
  readonly begun: Gate;
  readonly free: Gate;
  times: number;
}

export function createHolds() {
  const heldSteps = new Map<string, Held>();
  const pass = async (intentId: string, step: HeldStep) => {
    const hold = heldSteps.get(`${intentId} ${step}`);
    if (hold === undefined) return;
    hold.times += 1;
    hold.begun.open();
    await hold.free.isOpen;
  };
  const isHeld = (intentId: string, step: HeldStep) => heldSteps.has(`${intentId} ${step}`);
  return {
    hold(intentId: string, step: HeldStep) {
      const hold: Held = { begun: createGate(), free: createGate(), times: 0 };
      heldSteps.set(`${intentId} ${step}`, hold);
      return {
        /** Opens when the step has begun for the first time. */
        begun: hold.begun.isOpen,
        /** How often it was begun. */
        get times() {
          return hold.times;
        },
        letGo: () => hold.free.open(),
      };
    },
    around: (activities: PaymentActivities) => around(activities, { pass, isHeld }),
    aroundProvider: (provider: PayoutProvider): PayoutProvider => ({
      ...provider,
      async pay(order, limits) {
        await pass(order.key.replace(/:payout$/, ''), 'order');
        return provider.pay(order, limits);
      },
    }),
  };
}

interface Passing {
  readonly pass: (intentId: string, step: HeldStep) => Promise<void>;
  readonly isHeld: (intentId: string, step: HeldStep) => boolean;
}

function around(activities: PaymentActivities, { pass, isHeld }: Passing): PaymentActivities {
  // An activity with other terms than the row writes no capture: the workflow writes it.
  const withTerms = <Request extends PayoutOfRow>(request: Request): Request =>
    isHeld(request.intentId, 'capture') ? { ...request, createdAtMs: 0 } : request;
  return {
    ...activities,
    async recordTransition(command) {
      const held = HELD_EVENTS.find((event) => event === command.event);
      if (held !== undefined) await pass(command.intentId, held);
      // What is to be held has to be a step of its own.
      const isDebitAlone = isHeld(command.intentId, 'debit');
      const { debitUsdCents, ...alone } = command;
      return activities.recordTransition(isDebitAlone ? alone : { ...alone, debitUsdCents });
    },
    async debitHoldingAccount(intentId, ...debit) {
      await pass(intentId, 'debit');
      return activities.debitHoldingAccount(intentId, ...debit);
    },
    async payOutAtOnce(request) {
      await pass(request.intentId, 'payOut');
      const result = await activities.payOutAtOnce(withTerms(request));
      await pass(request.intentId, 'hear');
      return result;
    },
    async payOut(request) {
      await pass(request.intentId, 'payOut');
      const result = await activities.payOut(withTerms(request));
      await pass(request.intentId, 'hear');
      return result;
    },
  };
}
