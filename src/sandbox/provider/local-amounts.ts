// What the payee of a sandbox payout gets, at fixed rates, rounded down; and the sandbox provider's
// own id of a payout.
import { createHash } from 'node:crypto';
import type { Corridor } from '../../corridors/names';
import { localText, type LocalAmount } from '../../domain/money';

/** As on the wire: minor units. */
export interface WireLocal {
  readonly currency: LocalAmount['currency'];
  readonly amount: number;
}

/** Minor units of the currency for ten cents: 34.50 THB and 25 400 VND a dollar. */
const RATES = {
  th_qrpay: { currency: 'THB', minorForTenCents: 345 },
  vn_qrpay: { currency: 'VND', minorForTenCents: 2_540 },
} as const satisfies Record<Corridor, object>;

/** At least one minor unit. */
export function localFor(corridor: Corridor, amountUsdCents: number): WireLocal {
  const { currency, minorForTenCents } = RATES[corridor];
  return { currency, amount: Math.floor((amountUsdCents * minorForTenCents) / 10) };
}

/** `34.50`, `25400`: of the payee's currency for a dollar. */
export function rateFor(corridor: Corridor): string {
  const { currency, minorForTenCents } = RATES[corridor];
  return localText({ currency, minor: minorForTenCents * 10 });
}

export function isSameLocal(one: WireLocal, other: WireLocal): boolean {
  return one.currency === other.currency && one.amount === other.amount;
}

const REFERENCE_CHARACTERS = 12;

export function referenceOf(key: string): string {
  const digest = createHash('sha256').update(key).digest('hex');
  return `SB-${digest.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`;
}
