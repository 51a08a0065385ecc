// What the payee of a sandbox payout gets, at fixed rates, rounded down; and the sandbox provider's
// own id of a payout.
import { createHash } from 'node:crypto';
import type { Corridor } from '../corridors/names';

/** Minor units of the currency for ten cents: 34.50 THB and 25 400 VND a dollar. */
const RATES = {
  th_qrpay: { currency: 'THB', minorForTenCents: 345 },
  vn_qrpay: { currency: 'VND', minorForTenCents: 2_540 },
} as const satisfies Record<Corridor, object>;

/** In minor units, as on the wire. At least one. */
export function localFor(corridor: Corridor, amountUsdCents: number) {
  const { currency, minorForTenCents } = RATES[corridor];
  return { currency, amount: Math.floor((amountUsdCents * minorForTenCents) / 10) };
}

const REFERENCE_CHARACTERS = 12;

export function referenceOf(key: string): string {
  const digest = createHash('sha256').update(key).digest('hex');
  return `SB-${digest.slice(0, REFERENCE_CHARACTERS).toUpperCase()}`;
}
