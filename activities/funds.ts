// The debit of the funds-holding account. Releasing it happens with the transition that ends the payment.
import type { Corridor } from '../src/domain/corridor';
import type { IntentId } from '../src/domain/ids';
import type { UsdCents } from '../src/domain/money';
import type { DebitOutcome, FundsAccount } from '../src/ports/funds-account';

export interface FundsActivities {
  debitHoldingAccount(
    intentId: IntentId,
    amountUsdCents: UsdCents,
    corridor: Corridor,
  ): Promise<DebitOutcome>;
}

export function createFundsActivities(funds: FundsAccount): FundsActivities {
  return {
    debitHoldingAccount: (intentId, amountUsdCents, corridor) =>
      funds.debit(intentId, amountUsdCents, corridor),
  };
}
