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

/**
 * The amount of a decimal text. Undefined if the text is no positive amount or has digits other
 * than zero beyond the minor unit.
 */
export function readLocal(
  currency: LocalAmount['currency'],
  text: string,
): LocalAmount | undefined {
  const [, whole = '', decimals = ''] = /^(\d{1,13})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  const exponent = EXPONENTS[currency];
  if (/[1-9]/.test(decimals.slice(exponent))) return undefined;
  const minor = Number(whole + decimals.slice(0, exponent).padEnd(exponent, '0'));
  return minor > 0 ? { currency, minor } : undefined;
}

/** `431.25`, `317500`: the amount in the currency's major unit. */
export function localText({ currency, minor }: LocalAmount): string {
  const exponent = EXPONENTS[currency];
  const digits = String(minor).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  return exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`;
}

/**
 * What a provider takes from our balance for a payout: decimal texts, since there are up to 18
 * decimals. One USDT counts as one USD.
 */
export interface Cost {
  readonly currency: 'USD' | 'USDT';
  /** All that it takes, the fee included. */
  readonly debited: string;
  readonly fee: string | null;
  /** Of the payee's currency for one unit of `currency`. */
  readonly rate: string | null;
}

const COST = /^(\d{1,13})(?:\.(\d{1,18}))?$/;

export const isCostText = (text: string): boolean => COST.test(text);

const COST_DECIMALS_MAX = 18;

/**
 * The exact sum, with as many decimals as the text that has the most. It may have more digits than
 * a cost. @throws RangeError if a text is no cost
 */
export function addCosts(texts: readonly string[]): string {
  const parts = texts.map((text) => {
    const [, whole, decimals = ''] = COST.exec(text) ?? [];
    if (whole === undefined) throw new RangeError(`not a cost: ${text}`);
    return { scaled: BigInt(whole + decimals.padEnd(COST_DECIMALS_MAX, '0')), decimals };
  });
  const sum = parts.reduce((total, { scaled }) => total + scaled, 0n);
  const digits = String(sum).padStart(COST_DECIMALS_MAX + 1, '0');
  const shown = Math.max(0, ...parts.map(({ decimals }) => decimals.length));
  const [whole, decimals] = [digits.slice(0, -COST_DECIMALS_MAX), digits.slice(-COST_DECIMALS_MAX)];
  return shown === 0 ? whole : `${whole}.${decimals.slice(0, shown)}`;
}

const CENT_DECIMALS = 2;

/** Rounded up. @throws RangeError if the text is no cost */
export function costInCents({ debited }: Cost): number {
  const [, whole, decimals = ''] = COST.exec(debited) ?? [];
  if (whole === undefined) throw new RangeError(`not a cost: ${debited}`);
  const cents = Number(whole + decimals.slice(0, CENT_DECIMALS).padEnd(CENT_DECIMALS, '0'));
  return cents + Number(/[1-9]/.test(decimals.slice(CENT_DECIMALS)));
}

/**
 * What the payee's amount is worth at a rate, of its currency for a dollar: USD cents, rounded up.
 * @throws RangeError if the rate is no text of a cost above zero
 */
export function centsAtRate({ currency, minor }: LocalAmount, rate: string): number {
  const [, whole, decimals = ''] = COST.exec(rate) ?? [];
  const scaled = BigInt((whole ?? '') + decimals);
  if (whole === undefined || scaled === 0n) throw new RangeError(`not a rate: ${rate}`);
  const shift = CENT_DECIMALS + decimals.length - EXPONENTS[currency];
  const cents = BigInt(minor) * 10n ** BigInt(shift);
  return Number((cents + scaled - 1n) / scaled);
}

/** `431.25 THB`, `317500 VND`: for texts, never on the wire. */
export const formatLocal = (local: LocalAmount): string => `${localText(local)} ${local.currency}`;

/** `12.34`. Negative if money leaves an account. */
export function usdText(amountUsdCents: number): string {
  const cents = Math.abs(amountUsdCents);
  const fraction = String(cents % 100).padStart(2, '0');
  return `${amountUsdCents < 0 ? '-' : ''}${String(Math.trunc(cents / 100))}.${fraction}`;
}

/** `12.34 USD`, for texts, never on the wire. */
export const formatUsd = (amountUsdCents: number): string => `${usdText(amountUsdCents)} USD`;
