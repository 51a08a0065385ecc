// Identifies a payout, and the key by which the provider knows it.
import type { Corridor } from '../src/domain/corridor';
import { stepKey, type IntentId } from '../src/domain/ids';
import type { UsdCents } from '../src/domain/money';
import type { PayoutQuestion } from '../src/ports/payouts/provider';

export interface PayoutSubject {
  readonly intentId: IntentId;
  readonly amountUsdCents: UsdCents;
  readonly corridor: Corridor;
}

export interface PayoutOfRow extends PayoutSubject {
  /** When the workflow's row was created, in milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** The query to the provider, by the key under which the payout was or will be sent. */
export function questionOf({ intentId, amountUsdCents, corridor }: PayoutSubject): PayoutQuestion {
  return { key: stepKey(intentId, 'payout'), amountUsdCents, corridor };
}
