// The holding account of the sandbox: it reports too little money for the amounts that the
// scenarios mark as short of funds, without a call to the ledger (architecture, section 6, amount
// 40006). Every other call goes to the ledger.
import type { UsdCents } from '../domain/money';
import type { FundsAccount } from '../ports/funds-account';
import { scenarioFor } from './scenarios';

/**
 * Guarantees the same as the port: a rejection is final, repeats get the same answer, and no money
 * has moved.
 */
export function withInsufficientFunds(account: FundsAccount): FundsAccount {
  return {
    joinsAuthorize: (amountUsdCents) =>
      !isShort(amountUsdCents) && account.joinsAuthorize(amountUsdCents),
    debit: (intentId, amountUsdCents, corridor) =>
      isShort(amountUsdCents)
        ? Promise.resolve('insufficient')
        : account.debit(intentId, amountUsdCents, corridor),
  };
}

function isShort(amountUsdCents: UsdCents): boolean {
  return scenarioFor(amountUsdCents).funds === 'insufficient';
}
