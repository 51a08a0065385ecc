// What the checks of a provider share: the caller, the books, the first order, the codes.
import { crcOf } from '../../../domain/qr/objects';
import { SCHEMES } from '../../../corridors/registry';
import type { Check } from '../check';
import type { Books } from './books';
import type { Caller } from './caller';
import { described, type Payout, type Reading, type WireLocal } from './reading';

export interface Subject {
  readonly caller: Caller;
  readonly books: Books;
  /** The first order, which is paid. */
  readonly key: string;
}

/** What the checks order, in cents. The amounts above 40 000 are those of the protocol's page. */
export const CENTS = {
  ...{ first: 100, least: 1, atOnce: 100, cut: 10, code: 100 },
  ...{ declined: 40_001, silent: 40_002, pending: 40_004, returned: 40_010 },
  ...{ shortQuote: 40_012, refused: 40_013 },
} as const;

/** The sum of all orders, each key once; few of them are refused or declined. */
export const ORDERED_CENTS_MAX = [
  ...[CENTS.first, CENTS.atOnce, 3 * CENTS.least, 4 * CENTS.cut, 3 * CENTS.code],
  ...[CENTS.silent, CENTS.declined, CENTS.pending, CENTS.returned, CENTS.shortQuote],
  2 * CENTS.refused,
].reduce((sum, cents) => sum + cents, 0);

/** @param run the problem as a sentence; undefined if there is none */
export function checkOf(
  name: string,
  advice: string,
  run: () => Promise<string | undefined>,
): Check {
  return {
    name,
    async run() {
      const problem = await run();
      return { isRight: problem === undefined, found: problem ?? '', advice };
    },
  };
}

/** The problem, unless the answer is a payout of these cents with one of these statuses. */
export function notPayout(
  reading: Reading,
  cents: number,
  ...statuses: readonly Payout['status'][]
): string | undefined {
  const isIt =
    reading.kind === 'payout' && reading.cents === cents && statuses.includes(reading.status);
  if (!isIt) return described(reading);
  const isDue = ['paid', 'returned'].includes(reading.status) && reading.local === null;
  return isDue ? 'It answered no local amount.' : undefined;
}

export function notKind(reading: Reading, kind: Reading['kind']): string | undefined {
  return reading.kind === kind ? undefined : described(reading);
}

export function notRefused(reading: Reading, code: string): string | undefined {
  return reading.kind === 'refused' && reading.code === code ? undefined : described(reading);
}

/** The first problem of these steps, each of which begins after the one before. */
export async function firstProblem(
  ...steps: readonly (() => Promise<string | undefined>)[]
): Promise<string | undefined> {
  for (const step of steps) {
    const problem = await step();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export const codeOf = ({ caller }: Subject): string => SCHEMES[caller.target.corridor].sampleCode;

/** The same code with an amount in it: 34 baht or 25 000 dong. */
export function codeWithAmount(subject: Subject): {
  readonly code: string;
  readonly local: WireLocal;
} {
  const isThai = subject.caller.target.corridor === 'th_qrpay';
  const text = codeOf(subject).slice(0, -4);
  const changed = text.replace(/(5303\d{3})/, `$1${isThai ? '540234' : '540525000'}`);
  return {
    code: `${changed}${crcOf(changed)}`,
    local: isThai ? { currency: 'THB', amount: 3_400 } : { currency: 'VND', amount: 25_000 },
  };
}
