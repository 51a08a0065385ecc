// The amount in a payment code (decision 32): decimal text to integer minor units, without floating
// point.
import { QR_AMOUNT_MAX_CHARACTERS } from '../limits';
import type { LocalAmount } from '../money';
import { QrRejected } from './rejection';

export interface QrCurrency {
  /** ISO 4217, letters: `THB`. */
  readonly code: LocalAmount['currency'];
  /** ISO 4217, digits, as the code carries it: `764`. */
  readonly number: string;
  /** Decimal digits of the minor unit: 2 for the baht, 0 for the dong. */
  readonly exponent: number;
}

/**
 * EMVCo: digits and at most one point, not zero, at most 13 characters; "98.73", "98" and "98." are
 * amounts.
 *
 * There may be fewer decimals than the currency has, but never more, not even zeros: in Vietnam a
 * point groups thousands, so "10.000" may mean ten thousand.
 * @throws QrRejected `amount_invalid`
 */
export function readMinorUnits(text: string, currency: QrCurrency): number {
  const [, whole = '', decimals = ''] = /^(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '' || text.length > QR_AMOUNT_MAX_CHARACTERS)
    throw new QrRejected('amount_invalid');
  if (decimals.length > currency.exponent) throw new QrRejected('amount_invalid');
  // At most 13 digits and 2 zeros: below 2^53, so the number is exact.
  const minorUnits = Number(whole + decimals.padEnd(currency.exponent, '0'));
  if (minorUnits === 0) throw new QrRejected('amount_invalid');
  return minorUnits;
}
