// Which payout an activity is about, and the key by which the provider knows it.
import type { Corridor } from '../src/domain/corridor';
import { stepKey, type IntentId } from '../src/domain/ids';
import type { UsdCents } from '../src/domain/money';
import type { PayoutQuestion } from '../src/ports/payouts/provider';

/** Which payout it is, and what of. */
export interface PayoutSubject {
  readonly intentId: IntentId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
}

export interface PayoutOfRow extends PayoutSubject {
  /** Of the row that the workflow belongs to: milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** What the provider is queried about, by the key under which it was or will be sent. */
export function questionOf({ intentId, amountUsdCents, corridor }: PayoutSubject): PayoutQuestion {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}
