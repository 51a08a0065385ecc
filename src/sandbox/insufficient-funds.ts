// The holding account as the sandbox has it: amounts that the scenarios call short of funds are refused before
// the ledger is asked (architecture, section 6, amount 40006). Everything else is the ledger's own answer.
import type { UsdCents } from '../domain/money';
import type { FundsAccount } from '../ports/funds-account';
import { scenarioFor } from './scenarios';

/** Keeps every guarantee of the port: a rejection is definite, repeats answer alike, and nothing moved. */
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
