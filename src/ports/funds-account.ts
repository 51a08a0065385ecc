// The funds-holding account (decision 101). Transitions capture or release a debit (intents.ts).
import type { Corridor } from '../corridors/names';
import type { IntentId } from '../domain/ids';
import type { UsdCents } from '../domain/money';

/**
 * `insufficient` is definite. `not_authorized`: the intent's row allows no debit; nothing moved.
 */
export type DebitOutcome = 'debited' | 'insufficient' | 'not_authorized';

export interface FundsAccount {
  /**
   * Whether the authorize statement may include the debit of this amount, because the account is in
   * the same database. If that statement does not debit, {@link debit} must be called.
   */
  joinsAuthorize(amountUsdCents: UsdCents): boolean;
  /**
   * Debits the amount under the key `<intent_id>:debit`. Idempotent: a repeat returns `debited` and
   * moves nothing. A row with another amount or corridor allows no debit. After an error the
   * account is debited once or not at all: repeat the call.
   */
  debit(intentId: IntentId, amountUsdCents: UsdCents, corridor?: Corridor): Promise<DebitOutcome>;
}
