// An account at a provider, and orders in cents.
import { byCorridor } from '../../../src/corridors/names';
import { AMOUNT_MAX_USD_CENTS } from '../../../src/domain/limits';
import type { NewTerms, OrderTerms } from '../../../src/ports/payouts';

export const ACCOUNT = 'main';

/** What a first request in these tests fixes. */
export const TERMS: NewTerms = {
  ...{ account: ACCOUNT, maxCostUsdCents: 1_000_000, askAfterSeconds: 60 },
};

/** An order in cents that no request was made for. */
export const NOT_ORDERED: OrderTerms = { account: null, local: null, reference: null };

export const IN_CENTS = {
  ...{ local: null, reference: null, token: null, payer: '0123456789abcdefabcd' },
} as const;

/** A payout may cost its amount and this. */
export function boundsWith(feeUsdCents = 0) {
  return byCorridor(() => (cents: number) => ({
    minUsdCents: cents - 1,
    maxUsdCents: cents + feeUsdCents,
  }));
}

/** Dependencies of activities whose corridors have one account. */
export const ONE_ACCOUNT = {
  formerProviders: {},
  costBounds: boundsWith(),
  maximumUsdCents: byCorridor(() => AMOUNT_MAX_USD_CENTS),
  paidAskedAfterSeconds: 60,
  hashPayer: () => IN_CENTS.payer,
} as const;
