// Reads and validates the form of the start page.
import { isCorridor } from '../../domain/corridor';
import { isUsdCents } from '../../domain/money';
import { HttpRejection } from '../../sandbox/http-server';

/** The value of the radio button beside which an amount is typed. */
export const TYPED_AMOUNT = 'typed';

/** @throws HttpRejection with a sentence that says what is wrong */
export function readOrder(form: URLSearchParams) {
  const chosen = form.get('amount');
  const corridor = form.get('corridor');
  const amountUsdCents =
    chosen === TYPED_AMOUNT ? centsIn(form.get('dollars') ?? '') : Number(chosen);
  if (!isUsdCents(amountUsdCents)) {
    throw new HttpRejection(
      400,
      'The amount is not one from 0.01 to 1000000.00 US dollars, with two digits behind the point at most.',
    );
  }
  if (!isCorridor(corridor)) throw new HttpRejection(400, 'The corridor is neither of the two.');
  return { amountUsdCents, corridor };
}

/** `12.5` becomes 1250 by string operations, so that nothing is rounded. */
function centsIn(dollars: string): number {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(dollars.trim()) ?? [];
  return whole === '' ? NaN : Number(whole + fraction.padEnd(2, '0'));
}
