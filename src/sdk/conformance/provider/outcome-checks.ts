// Checks of the outcomes that the protocol's amounts choose: declined, pending, returned, refused.
import type { Check } from '../check';
import { newKey } from './caller';
import { FENCE_MS } from './lost-checks';
import type { Payout } from './reading';
import {
  CENTS,
  checkOf,
  firstProblem,
  notKind,
  notPayout,
  notRefused,
  type Subject,
} from './subject';

const PENDING_MS = 3_000;
const LATER_MS = 500;

export function outcomeChecks(subject: Subject): readonly Check[] {
  const { books } = subject;
  return [
    checkOf(
      'A declined order (40001) stays declined and is never paid.',
      'Danger: money is given back. Decline only what you never execute.',
      () => books.moves(0, () => staysDeclined(subject)),
    ),
    checkOf(
      'A pending order (40004) is found while pending, then paid.',
      'Danger: double payment. Store the order before you execute it.',
      () => books.moves(CENTS.pending, () => becomesPaid(subject)),
    ),
    checkOf(
      'A paid order (40010) is returned, and its balance comes back.',
      'Answer returned once the money is back, also to the same order again.',
      () => books.moves(0, () => isReturned(subject)),
    ),
    checkOf(
      'A refused order (40013) is not executed.',
      'Danger: money is given back. Refuse only what makes no order.',
      () => books.moves(0, () => isRefused(subject)),
    ),
    checkOf(
      'After two refusals the same order (40013) is paid once.',
      'Refuse the first two orders of a key with 40013, then pay it.',
      () => books.moves(CENTS.refused, () => isPaidAfterRefusals(subject)),
    ),
  ];
}

/** An order by steps: each order or query must answer one of these statuses. */
function stepsOf({ caller }: Subject, cents: number) {
  const key = newKey();
  const step =
    (ask: () => ReturnType<typeof caller.find>, statuses: readonly Payout['status'][]) =>
    async () =>
      notPayout(await ask(), cents, ...statuses);
  return {
    key,
    orders: (...statuses: readonly Payout['status'][]) =>
      step(() => caller.order({ key, cents }), statuses),
    finds: (...statuses: readonly Payout['status'][]) => step(() => caller.find(key), statuses),
    refuses: (code: string) => async () => notRefused(await caller.order({ key, cents }), code),
    misses: async () => notKind(await caller.find(key), 'not_found'),
    waits: (ms: number) => async () => {
      await caller.timing.wait(ms);
      return undefined;
    },
    settles: async () => notPayout(await caller.settled(key), cents, 'paid'),
  };
}

function staysDeclined(subject: Subject): Promise<string | undefined> {
  const { orders, finds, waits } = stepsOf(subject, CENTS.declined);
  return firstProblem(
    ...[orders('declined'), finds('declined'), waits(FENCE_MS), finds('declined')],
    ...[orders('declined'), finds('declined')],
  );
}

function becomesPaid(subject: Subject): Promise<string | undefined> {
  const { orders, finds, waits, settles } = stepsOf(subject, CENTS.pending);
  return firstProblem(
    ...[orders('pending'), finds('pending', 'paid'), orders('pending', 'paid')],
    ...[waits(PENDING_MS), settles, orders('paid')],
  );
}

function isReturned(subject: Subject): Promise<string | undefined> {
  const { orders, finds, waits } = stepsOf(subject, CENTS.returned);
  return firstProblem(
    ...[orders('paid'), waits(PENDING_MS + LATER_MS), finds('returned'), orders('returned')],
    finds('returned'),
  );
}

function isRefused(subject: Subject): Promise<string | undefined> {
  const { refuses, misses, waits } = stepsOf(subject, CENTS.refused);
  return firstProblem(...[refuses('insufficient_balance'), misses, waits(FENCE_MS), misses]);
}

function isPaidAfterRefusals(subject: Subject): Promise<string | undefined> {
  const { refuses, misses, orders, settles } = stepsOf(subject, CENTS.refused);
  return firstProblem(
    ...[refuses('insufficient_balance'), refuses('insufficient_balance'), misses],
    ...[orders('paid', 'pending'), settles],
  );
}
