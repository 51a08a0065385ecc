// The holding account as the sandbox has it: amounts that the scenarios call short of funds are refused before
// the ledger is asked (architecture, section 6, amount 40006). Everything else is the ledger's own answer.
import type { FundsAccount } from '../ports/funds-account';
import { scenarioFor } from './scenarios';

/** Keeps every guarantee of the port: a refusal is definite, repeats answer alike, and nothing moved. */
export function withInsufficientFunds(account: FundsAccount): FundsAccount {
  return {
    debit: (intentId, amountUsdCents) =>
      scenarioFor(amountUsdCents).funds === 'insufficient'
        ? Promise.resolve('insufficient')
        : account.debit(intentId, amountUsdCents),
  };
}
