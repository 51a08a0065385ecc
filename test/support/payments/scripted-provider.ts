// A payout provider that answers by a script and records its orders.
// test/contracts/payout-provider.test.ts checks it against the port's contract.
import { byCorridor, type Corridor } from '../../../src/corridors/names';
import type {
  PayoutOrder,
  PayoutOutcome,
  PayoutProvider,
  PayoutQuestion,
  QueryAnswer,
} from '../../../src/ports/payout-provider';
import { ACCOUNT } from './accounts';
import { answerOf, SURE } from './answers';

export type ScriptedOutcome = PayoutOutcome['outcome'];
/** An outcome alone gets the amount of the order. */
export type ScriptedAnswer = ScriptedOutcome | PayoutOutcome;

/** @param answers in order, for orders and queries alike; the last is repeated */
export function scriptedProviders(
  answers: ScriptedAnswer[],
  sent: PayoutOrder[],
): Readonly<Record<Corridor, PayoutProvider>> {
  const answer = (question: PayoutQuestion): Promise<PayoutOutcome> => {
    const next = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'paid';
    return Promise.resolve(
      typeof next === 'string' ? answerOf(next, question.amountUsdCents) : next,
    );
  };
  const provider: PayoutProvider = {
    account: ACCOUNT,
    abilities: SURE,
    pay: (order, { isInTime }) => {
      if (!isInTime()) return Promise.resolve({ outcome: 'unknown', cause: 'not sent: too late' });
      sent.push(order);
      return answer(order);
    },
    find: (question) => answer(question) as Promise<QueryAnswer>,
  };
  return byCorridor(() => provider);
}

/** Wraps providers: orders that were never sent are `not_found`, whatever the script says. */
export function knowingWhatWasSent(
  providers: Readonly<Record<Corridor, PayoutProvider>>,
  sent: readonly PayoutOrder[],
): Readonly<Record<Corridor, PayoutProvider>> {
  const truthful = (provider: PayoutProvider): PayoutProvider => ({
    ...provider,
    find: (question) =>
      sent.some(({ key }) => key === question.key)
        ? provider.find(question)
        : Promise.resolve({ outcome: 'not_found' }),
  });
  return byCorridor((corridor) => truthful(providers[corridor]));
}

/** Wraps providers: the first order never arrives. */
export function losingTheFirstOrder(
  providers: Readonly<Record<Corridor, PayoutProvider>>,
  sent: readonly PayoutOrder[],
): Readonly<Record<Corridor, PayoutProvider>> {
  const losing = (provider: PayoutProvider): PayoutProvider => ({
    ...provider,
    async pay(order, limits) {
      const answer = await provider.pay(order, limits);
      return sent.length > 1 ? answer : { outcome: 'unknown', cause: 'scripted loss' };
    },
    find: (question) =>
      sent.length > 1 ? provider.find(question) : Promise.resolve({ outcome: 'not_found' }),
  });
  return byCorridor((corridor) => losing(providers[corridor]));
}
