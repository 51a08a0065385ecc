// What a provider says of a payment, as columns of `payouts`: what an answer does not say stays.
import type { PayoutDetails } from '../../ports/payouts';

const COLUMNS = {
  reference: 'text',
  local_currency: 'text',
  local_minor: 'bigint',
  failure_code: 'text',
  bank_reference: 'text',
  cost_currency: 'text',
  cost_debited: 'numeric',
  cost_fee: 'numeric',
  cost_rate: 'numeric',
} as const;

/** The assignments to the row `p`, with the parameters of {@link detailParameters}. */
export const SET_DETAILS = Object.entries(COLUMNS)
  .map(([column, type]) => `${column} = coalesce($payout_${column}::${type}, p.${column})`)
  .join(',\n         ');

const NOTHING: PayoutDetails = {
  ...{ reference: null, local: null, cost: null, bankReference: null, code: null },
};
const [NO_LOCAL, NO_COST] = [
  { currency: null, minor: null },
  { currency: null, debited: null, fee: null, rate: null },
];

/** A text column takes no NUL, and an answer is not lost for its reference. */
export const printable = (text: string | null) =>
  text !== null && /\p{C}/u.test(text) ? null : text;

export function detailParameters(details: PayoutDetails = NOTHING) {
  const local = details.local ?? NO_LOCAL;
  const cost = details.cost ?? NO_COST;
  return {
    payout_reference: printable(details.reference),
    payout_local_currency: local.currency,
    payout_local_minor: local.minor,
    payout_failure_code: details.code,
    payout_bank_reference: printable(details.bankReference),
    payout_cost_currency: cost.currency,
    payout_cost_debited: cost.debited,
    payout_cost_fee: cost.fee,
    payout_cost_rate: cost.rate,
  };
}
