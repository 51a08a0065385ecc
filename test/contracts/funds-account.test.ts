// Contract of the port `FundsAccount`, one test per sentence, for the Postgres ledger and for the
// sandbox's wrapper of it.
import { usdCents } from '../../src/domain/money';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { FundsAccount } from '../../src/ports/funds-account';
import { createFundsAccount } from '../../src/postgres/ledger/holding-account';
import { withInsufficientFunds } from '../../src/sandbox/insufficient-funds';
import { startCutProxy, type CutProxy } from '../faults/cut-proxy';
import {
  anIntent,
  balanceOf,
  countOf,
  openTestBed,
  recogniseErrorsOfNode,
  times,
  type TestBed,
} from '../support/builders';
import { aPartner, type TestPartner } from '../support/payments/partner';

recogniseErrorsOfNode();

const FUNDED_USD_CENTS = 16_000_000;
const MORE_THAN_THERE_IS = 99_999_999;
/** An amount of src/sandbox/scenarios.ts. */
const SHORT_OF_FUNDS = 40_006;
const AT_ONCE = 8;

interface AccountToTest {
  readonly name: string;
  readonly over: (bed: TestBed) => FundsAccount;
  /** Amounts that the account cannot pay. */
  readonly tooMany: readonly number[];
  /** The amounts of these that it rejects without reading the balance. */
  readonly shortAtOnce: readonly number[];
}

const ACCOUNTS: readonly AccountToTest[] = [
  {
    name: 'the Postgres ledger',
    over: ({ database }) => createFundsAccount(database),
    tooMany: [MORE_THAN_THERE_IS],
    shortAtOnce: [],
  },
  {
    name: 'the sandbox’s wrapper of the ledger',
    over: ({ database }) => withInsufficientFunds(createFundsAccount(database)),
    tooMany: [MORE_THAN_THERE_IS, SHORT_OF_FUNDS],
    shortAtOnce: [SHORT_OF_FUNDS],
  },
];

describe.each(ACCOUNTS)('$name as the funds account', ({ over, tooMany, shortAtOnce }) => {
  let bed: TestBed;
  let proxy: CutProxy;
  let partner: TestPartner;
  let account: FundsAccount;
  beforeAll(async () => {
    bed = await openTestBed({
      fundedUsdCents: FUNDED_USD_CENTS,
      through: async (url) => {
        proxy = await startCutProxy(url);
        return proxy.url;
      },
    });
    partner = await aPartner(bed);
    account = over(bed);
  });
  afterAll(async () => {
    await bed.close();
    await proxy.close();
  });

  const authorized = (cents = 300) =>
    anIntent(bed, partner, { status: 'authorized', amountUsdCents: usdCents(cents) });
  const debit = ({ intentId, amountUsdCents }: PaymentIntent) =>
    account.debit(intentId, amountUsdCents);
  /** The cents that are held for this intent, under its own debit key. */
  const heldFor = ({ intentId }: PaymentIntent) =>
    countOf(
      bed,
      `select coalesce(sum(amount_usd_cents), 0) as count from ledger_transfers
        where intent_id = $1 and transfer_key = $1 || ':debit' and to_account = 'reserved'`,
      [intentId],
    );
  const left = async () => [
    await balanceOf(bed, 'holding'),
    await countOf(bed, 'select balance_usd_cents as count from holding_balance'),
  ];
  const less = (balances: readonly number[], cents: number) =>
    balances.map((balance) => balance - cents);

  it('holds the amount for the intent, under the key of intent and step', async () => {
    const intent = await authorized();
    const before = await left();
    await expect(debit(intent)).resolves.toBe('debited');
    await expect(heldFor(intent)).resolves.toBe(300);
    await expect(left()).resolves.toEqual(less(before, 300));
  });

  it.each([1, 40_001, 40_005, 40_007])(
    'holds %d, which is no special amount of the sandbox',
    async (cents) => {
      const intent = await authorized(cents);
      await expect(debit(intent)).resolves.toBe('debited');
      await expect(heldFor(intent)).resolves.toBe(cents);
    },
  );

  it('lets an authorize include the debit of an amount unless it rejects that amount', () => {
    const short = tooMany.filter((cents) => !account.joinsAuthorize(usdCents(cents)));
    expect([short, account.joinsAuthorize(usdCents(300))]).toEqual([shortAtOnce, true]);
  });

  it('answers a repeat debited, and moves nothing', async () => {
    const intent = await authorized();
    await debit(intent);
    const before = await left();
    await expect(debit(intent)).resolves.toBe('debited');
    await expect(left()).resolves.toEqual(before);
  });

  it('moves the amount once when many debits of it run at the same time', async () => {
    const intent = await authorized();
    const before = await left();
    await Promise.allSettled(Array.from({ length: AT_ONCE }, () => debit(intent)));
    await expect(debit(intent)).resolves.toBe('debited');
    await expect(heldFor(intent)).resolves.toBe(300);
    await expect(left()).resolves.toEqual(less(before, 300));
  });

  it.each(tooMany)(
    'answers insufficient for %d, also to every repeat, and moves nothing',
    async (cents) => {
      const intent = await authorized(cents);
      const before = await left();
      const answers = await times(AT_ONCE, () => debit(intent));
      expect(answers).toEqual(answers.map(() => 'insufficient'));
      await expect(left()).resolves.toEqual(before);
    },
  );

  it.each(['created', 'cancelled', 'failed', 'expired', 'captured'] as const)(
    'answers not_authorized for an intent that is %s, and moves nothing',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      const before = await left();
      await expect(debit(intent)).resolves.toBe('not_authorized');
      await expect(left()).resolves.toEqual(before);
    },
  );

  it('has moved nothing or debited once when it throws, and a repeat answers debited', async () => {
    const [away, unanswered] = [await authorized(), await authorized()];
    const before = await left();
    proxy.cut();
    await expect(debit(away)).rejects.toThrow('postgres_unavailable');
    proxy.mend();
    await expect(left()).resolves.toEqual(before);
    const lost = proxy.loseAnswerTo('debit');
    await expect(debit(unanswered)).rejects.toThrow('postgres_unavailable');
    await lost;
    await expect(heldFor(unanswered)).resolves.toBe(300);
    await expect(debit(away)).resolves.toBe('debited');
    await expect(debit(unanswered)).resolves.toBe('debited');
    await expect(left()).resolves.toEqual(less(before, 600));
  });
});
