// Answers of a payout provider in the terms of its port, and the abilities of ours.
import type { Declared, PayoutFacts, PayoutOutcome } from '../../../src/ports/payout-provider';
import type { PayoutAnswer, RecordedAnswer } from '../../../src/ports/payouts';

export const SURE: Declared = {
  ...({ repeat: 'same', findsByKey: true, notFoundIsProof: true } as const),
  ...{ refusalIsFinal: true, declineIsFinal: true },
  ...{ needsLocal: false, confirmsLocal: true, askAfterPaidDays: 30 },
};

/** The provider repeats the cents that were ordered. */
export const factsOf = (orderedUsdCents: number): PayoutFacts => ({
  ...{ orderedUsdCents, reference: null, local: null, cost: null, bankReference: null },
});

export const paidIn = (orderedUsdCents: number) =>
  ({ outcome: 'paid', facts: factsOf(orderedUsdCents) }) as const;
export const returnedIn = (orderedUsdCents: number) =>
  ({ outcome: 'returned', facts: factsOf(orderedUsdCents) }) as const;
export const DECLINED = { outcome: 'declined', code: 'other', reference: null } as const;
export const PENDING = { outcome: 'pending', reference: null } as const;
export const NOT_FOUND = { outcome: 'not_found' } as const;
export const REFUSED = { outcome: 'refused', code: 'insufficient_balance' } as const;

/** An outcome with ordinary members, about an order of these cents. */
export function answerOf(outcome: PayoutOutcome['outcome'], cents: number): PayoutOutcome {
  const answers: readonly PayoutOutcome[] = [
    ...[paidIn(cents), returnedIn(cents), DECLINED, PENDING, REFUSED, NOT_FOUND],
    ...([{ outcome: 'duplicate' }, { outcome: 'unknown', cause: 'scripted silence' }] as const),
  ];
  const answer = answers.find((one) => one.outcome === outcome);
  if (answer === undefined) throw new Error(`no answer is ${outcome}`);
  return answer;
}

export const NO_DETAILS = {
  ...{ reference: null, local: null, code: null, cost: null, bankReference: null },
} as const;

/** What the payout's row gets of an answer. */
export const recorded = (answer: PayoutAnswer): RecordedAnswer => ({
  ...{ answer, isDeclined: answer === 'declined', isUnsent: false },
  ...NO_DETAILS,
});
