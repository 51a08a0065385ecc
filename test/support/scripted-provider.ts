// A payout provider that answers by a script and remembers what was sent to it.
import type { Corridor } from '../../src/domain/corridor';
import type { PayoutOrder, PayoutOutcome, PayoutProvider } from '../../src/ports/payout-provider';

export type ScriptedOutcome = PayoutOutcome['outcome'];

/** @param answers in order, whether it is sent to or asked; the last one is repeated */
export function scriptedProviders(
  answers: ScriptedOutcome[],
  sent: PayoutOrder[],
): Readonly<Record<Corridor, PayoutProvider>> {
  const answer = ({ amountUsdCents }: PayoutOrder): Promise<PayoutOutcome> => {
    const outcome = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'paid';
    if (outcome === 'unknown') return Promise.resolve({ outcome, cause: 'scripted silence' });
    return Promise.resolve(outcome === 'not_found' ? { outcome } : { outcome, amountUsdCents });
  };
  const provider: PayoutProvider = {
    pay: (order) => {
      sent.push(order);
      return answer(order);
    },
    find: answer,
  };
  return { th_qrpay: provider, vn_qrpay: provider };
}
