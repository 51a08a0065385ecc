// Holds single steps of single payments until the test releases them, so that the order of events
// decides races, not time.
import type { PaymentActivities } from '../../../activities';
import type { PayoutOfRow } from '../../../activities/payout-decision';
import type { PayoutProvider } from '../../../src/ports/payout-provider';
import { createLatch, type Latch } from './latch';

/**
 * `payOut` is before the attempt is recorded, `order` after the record and before the order is sent
 * to the provider, `hear` before the workflow gets the result of the payout and its capture.
 */
export type HeldStep = HeldEvent | 'debit' | 'payOut' | 'order' | 'hear';

const HELD_EVENTS = ['authorize', 'capture', 'fail', 'cancel'] as const;
type HeldEvent = (typeof HELD_EVENTS)[number];

interface Held {
  readonly begun: Latch;
  readonly free: Latch;
  times: number;
}

export function createHeldSteps() {
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
      const hold: Held = { begun: createLatch(), free: createLatch(), times: 0 };
      heldSteps.set(`${intentId} ${step}`, hold);
      return {
        /** Resolves when the step has begun for the first time. */
        begun: hold.begun.isOpen,
        /** How often the step was begun. */
        get times() {
          return hold.times;
        },
        release: () => hold.free.open(),
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
  // With terms that differ from the row the activity writes no capture, so the workflow writes it
  // in a separate step.
  const withTerms = <Request extends PayoutOfRow>(request: Request): Request =>
    isHeld(request.intentId, 'capture') ? { ...request, createdAtMs: 0 } : request;
  return {
    ...activities,
    async recordTransition(command) {
      const held = HELD_EVENTS.find((event) => event === command.event);
      if (held !== undefined) await pass(command.intentId, held);
      // A debit can be held only as a separate step.
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
