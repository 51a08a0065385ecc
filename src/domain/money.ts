// Money is integer USD cents (protocol 1.3): a branded number that only this file makes.
import { AMOUNT_MAX_USD_CENTS, AMOUNT_MIN_USD_CENTS } from './limits';

declare const brand: unique symbol;

/** A whole number of USD cents between the bounds of protocol 5.2. */
export type UsdCents = number & { readonly [brand]: 'UsdCents' };

export function isUsdCents(value: unknown): value is UsdCents {
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= AMOUNT_MIN_USD_CENTS &&
    value <= AMOUNT_MAX_USD_CENTS
  );
}

/** @throws RangeError if the value is not an integer within the bounds */
export function usdCents(value: number): UsdCents {
  if (!isUsdCents(value)) throw new RangeError(`not an amount in USD cents: ${String(value)}`);
  return value;
}

/** What a payee gets: integer minor units of ISO 4217. The baht has two digits, the dong none. */
export interface LocalAmount {
  readonly currency: 'THB' | 'VND';
  readonly minor: number;
}

const EXPONENTS = { THB: 2, VND: 0 } as const;

/** `431.25 THB`, `317500 VND`: for texts, never on the wire. */
export function formatLocal({ currency, minor }: LocalAmount): string {
  const exponent = EXPONENTS[currency];
  const digits = String(minor).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return `${exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`} ${currency}`;
}

/** `12.34 USD`, for texts, never on the wire. Negative if money leaves an account. */
export function formatUsd(amountUsdCents: number): string {
  const cents = Math.abs(amountUsdCents);
  const fraction = String(cents % 100).padStart(2, '0');
  return `${amountUsdCents < 0 ? '-' : ''}${String(Math.trunc(cents / 100))}.${fraction} USD`;
}
