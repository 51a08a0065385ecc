// What a person has chosen on the start page, read from the form without trust.
import { isCorridor, type Corridor } from '../../domain/corridor';
import { isUsdCents } from '../../domain/money';

export interface Order {
  readonly partnerId: string;
  readonly amountUsdCents: number;
  readonly corridor: Corridor;
}

/** The value of the radio button beside which an amount is typed. */
export const TYPED_AMOUNT = 'typed';

/** The order, or a sentence on what is wrong with it. */
export function readOrder(form: URLSearchParams): Order | string {
  const [partnerId, chosen, typed, corridor] = ['partner', 'amount', 'dollars', 'corridor'].map(
    (name) => form.get(name) ?? '',
  );
  const amountUsdCents = chosen === TYPED_AMOUNT ? centsIn(typed ?? '') : Number(chosen);
  if (!isUsdCents(amountUsdCents)) {
    return 'The amount is not one from 0.01 to 1000000.00 US dollars, with two digits behind the point at most.';
  }
  if (!isCorridor(corridor)) return 'The corridor is neither of the two.';
  return { partnerId: partnerId ?? '', amountUsdCents, corridor };
}

/** `12.5` is 1250: digits are moved, nothing is multiplied. */
function centsIn(dollars: string): number {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(dollars.trim()) ?? [];
  return whole === '' ? NaN : Number(whole + fraction.padEnd(2, '0'));
}
