// Architecture, section 6, amount 40006: the sandbox's wrapper of the ledger.
import { ID_RANDOM_BYTES, makeIntentId } from '../../src/domain/ids';
import { usdCents } from '../../src/domain/money';
import type { FundsAccount } from '../../src/ports/funds-account';
import { withInsufficientFunds } from '../../src/sandbox/insufficient-funds';

const INTENT_ID = makeIntentId(0, new Uint8Array(ID_RANDOM_BYTES));

function anAccount(): { readonly account: FundsAccount; readonly debited: number[] } {
  const debited: number[] = [];
  const account: FundsAccount = {
    debit: (_, amount) => {
      debited.push(amount);
      return Promise.resolve('debited');
    },
  };
  return { account: withInsufficientFunds(account), debited };
}

describe('the holding account of the sandbox', () => {
  it('has too little for 40006, without asking the ledger', async () => {
    const { account, debited } = anAccount();
    expect(await account.debit(INTENT_ID, usdCents(40_006))).toBe('insufficient');
    expect(debited).toEqual([]);
  });

  it.each([1, 40_005, 40_007, 40_001])('leaves %d to the ledger', async (amount) => {
    const { account, debited } = anAccount();
    expect(await account.debit(INTENT_ID, usdCents(amount))).toBe('debited');
    expect(debited).toEqual([amount]);
  });
});
