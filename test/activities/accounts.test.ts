// The accounts at a provider (decision 151): a payout stays with the account of its first request,
// whatever the settings name later.
import { findInAccounts } from '../../activities/accounts';
import { byCorridor } from '../../src/corridors/names';
import type { PayoutProvider, QueryAnswer } from '../../src/ports/payout-provider';
import { IN_CENTS, NOT_ORDERED } from '../support/payments/accounts';
import { NOT_FOUND, paidIn, SURE } from '../support/payments/answers';

const QUESTION = {
  ...IN_CENTS,
  ...({ key: 'pi_1:payout', amountUsdCents: 1_250, corridor: 'th_qrpay' } as const),
};
const PAID = paidIn(1_250);
const SILENCE = { outcome: 'unknown', cause: 'silence' } as const;
const NO_PROOF = { ...SURE, notFoundIsProof: false } as const;

function providerOf(account: string, answer: QueryAnswer, abilities = SURE) {
  const asked: string[] = [];
  const provider: PayoutProvider = {
    ...{ account, abilities },
    pay: () => Promise.reject(new Error('a query sends nothing')),
    find: () => {
      asked.push(account);
      return Promise.resolve(answer);
    },
  };
  return { provider, asked };
}

async function found(account: string | null, current: QueryAnswer, former: QueryAnswer) {
  const [now, before] = [providerOf('new', current), providerOf('old', former, NO_PROOF)];
  const accounts = {
    providers: byCorridor(() => now.provider),
    formerProviders: { th_qrpay: [before.provider] },
  };
  const { answer, abilities } = await findInAccounts(
    QUESTION,
    { ...NOT_ORDERED, account },
    accounts,
  );
  return { answer, abilities, asked: [...now.asked, ...before.asked] };
}

it.each([
  ['new', ['new'], PAID, SURE],
  ['old', ['old'], NOT_FOUND, NO_PROOF],
] as const)('only account %s is queried where it got the first request', async (...row) => {
  const [account, asked, answer, abilities] = row;
  const seen = await found(account, PAID, NOT_FOUND);
  expect(seen).toMatchObject({ asked, answer });
  expect(abilities).toMatchObject(seen.abilities);
});

it('an account that the settings do not name leaves the outcome unknown', async () => {
  const { answer, abilities, asked } = await found('older', NOT_FOUND, NOT_FOUND);
  expect(answer).toMatchObject({
    outcome: 'unknown',
    cause: expect.stringContaining('older') as string,
  });
  expect({ asked, ...abilities }).toMatchObject({
    ...{ asked: [], repeat: 'unsafe', notFoundIsProof: false, declineIsFinal: false },
  });
});

describe('where a request may be forgotten', () => {
  it('every account is queried, and a denial is worth what all of them guarantee', async () => {
    const { answer, abilities, asked } = await found(null, NOT_FOUND, NOT_FOUND);
    expect(answer).toEqual(NOT_FOUND);
    expect(asked).toEqual(['new', 'old']);
    expect(abilities).toMatchObject({ repeat: 'unsafe', notFoundIsProof: false });
  });

  it.each([
    ['denies it', NOT_FOUND],
    ['is silent', SILENCE],
  ] as const)(
    'the account that knows the payout answers, also where the other %s',
    async (...row) => {
      const [, other] = row;
      const { answer, abilities } = await found(null, other, PAID);
      expect({ answer, abilities }).toEqual({ answer: PAID, abilities: NO_PROOF });
    },
  );

  it('the outcome is unknown where one account is silent', async () => {
    expect(await found(null, NOT_FOUND, SILENCE)).toMatchObject({ answer: SILENCE });
  });
});
