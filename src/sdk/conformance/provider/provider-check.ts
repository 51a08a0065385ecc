// What the checks of a provider have in common: their form, and the amounts that they order.
import type { PayoutOrder } from '../../../ports/payout-provider';
import type { Caller } from './caller';

export interface ProviderCheck {
  /** What a conforming provider does, as a sentence that can be false. */
  readonly name: string;
  /** What the reader does about a failure, as a sentence. */
  readonly advice: string;
  /** By how much the balance must fall meanwhile; 0 if it is left out. */
  readonly cents?: number;
  /**
   * @param first the order of the first check, which is paid
   * @throws Error whose message says what happened instead, as a sentence
   */
  readonly run: (caller: Caller, first: PayoutOrder) => Promise<unknown>;
}

/** The amounts above 40 000 are those to which the protocol's page gives an outcome. */
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
