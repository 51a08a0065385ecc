// The funds-holding account (decision 101). Releasing and capturing happen with the transition: see intent-store.ts.
import type { Corridor } from '../domain/corridor';
import type { IntentId } from '../domain/ids';
import type { UsdCents } from '../domain/money';

/** `insufficient` is definite. `not_authorized`: the intent's row no longer allows a debit; nothing moved. */
export type DebitOutcome = 'debited' | 'insufficient' | 'not_authorized';

export interface FundsAccount {
  /**
   * Whether the debit of that amount may be written in the transaction that authorizes: where the account stands in the
   * database of the intents, and would say yes. What could not be debited there is debited by a call of its own.
   */
  joinsAuthorize(amountUsdCents: UsdCents): boolean;
  /**
   * Holds the amount for the intent, under the key `<intent_id>:debit`. Idempotent: a repeat answers `debited` and moves
   * nothing. A row of another amount or corridor allows no debit. What it throws leaves the account as it was or debited once: repeat it.
   */
  debit(intentId: IntentId, amountUsdCents: UsdCents, corridor?: Corridor): Promise<DebitOutcome>;
}
