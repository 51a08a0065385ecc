// The debit that an authorize takes along (decision 124): in the same commit or not at all, and never waited for.
import { usdCents } from '../../src/domain/money';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { TransitionReport } from '../../src/domain/transition';
import { fundHolding } from '../../src/postgres/holding';
import {
  anIntent,
  aTokenUse,
  balanceOf,
  countOf,
  openTestBed,
  times,
  type TestBed,
} from '../support/builders';
import { secondsAfter } from '../support/clock';
import { emptyHolding, holdingBalance } from '../support/holding-account';
import { aPartner, type TestPartner } from '../support/partner';

const CENTS = 300;
const PLENTY = 16_000;

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed({ fundedUsdCents: 0, poolSize: 16 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(() => emptyHolding(bed));

const fund = (amountUsdCents: number) =>
  fundHolding(bed.database, { key: 'fund:one', amountUsdCents, actor: 'test' });
const created = () => anIntent(bed, partner, { amountUsdCents: usdCents(CENTS) });
const authorize = (
  { intentId }: PaymentIntent,
  debitUsdCents = usdCents(CENTS),
): Promise<TransitionReport> =>
  bed.intents.transition({
    ...{ intentId, from: 'created', event: 'authorize', actor: 'test' },
    debitUsdCents,
  });
const debitsOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, `select count(*) from ledger_transfers where transfer_key = $1 || ':debit'`, [
    intentId,
  ]);

/** The entries sum to zero, the balance is the account's, and so much of it is held. */
async function expectHeld(cents: number, funded: number) {
  expect(await balanceOf(bed, 'held')).toBe(cents);
  expect(await balanceOf(bed, 'holding')).toBe(funded - cents);
  expect(await holdingBalance(bed)).toBe(funded - cents);
}

it('holds the amount of the intent, under the key under which a debit of its own finds it', async () => {
  await fund(PLENTY);
  const intent = await created();
  await expect(authorize(intent)).resolves.toMatchObject({
    ...{ outcome: 'did', status: 'authorized', isDebited: true },
  });
  await expect(bed.funds.debit(intent.intentId, intent.amountUsdCents)).resolves.toBe('debited');
  expect(await debitsOf(intent)).toBe(1);
  await expectHeld(CENTS, PLENTY);
});

it('is said once: the repeat of an authorize whose answer was lost does not know', async () => {
  await fund(PLENTY);
  const intent = await created();
  await authorize(intent);
  const repeat = await authorize(intent);
  expect(repeat).toMatchObject({ outcome: 'same', status: 'authorized' });
  expect(repeat).not.toHaveProperty('isDebited');
  await expectHeld(CENTS, PLENTY);
});

it('asked for sixteen times at once is made once', async () => {
  await fund(PLENTY);
  const intent = await created();
  const reports = await times(16, () => authorize(intent));
  expect(reports.filter(({ isDebited }) => isDebited === true)).toHaveLength(1);
  expect(await debitsOf(intent)).toBe(1);
  await expectHeld(CENTS, PLENTY);
});

describe('is left to a step of its own, and the intent authorized all the same,', () => {
  const expectLeft = async (report: TransitionReport, funded: number) => {
    expect(report).toMatchObject({ outcome: 'did', status: 'authorized' });
    expect(report).not.toHaveProperty('isDebited');
    await expectHeld(0, funded);
  };

  it('where the account has a cent too little', async () => {
    await fund(CENTS - 1);
    await expectLeft(await authorize(await created()), CENTS - 1);
  });

  it('where another payment moves the balance: it waits for nobody', async () => {
    await fund(PLENTY);
    const intent = await created();
    const report = await bed.database.inTransaction(async (connection) => {
      await connection.query({ text: 'select from holding_balance for update' });
      return authorize(intent);
    });
    await expectLeft(report, PLENTY);
  });

  it('where the amount is not the intent’s', async () => {
    await fund(PLENTY);
    await expectLeft(await authorize(await created(), usdCents(CENTS + 1)), PLENTY);
  });

  it('where nobody asked for it', async () => {
    await fund(PLENTY);
    const { intentId } = await created();
    const command = { intentId, from: 'created', event: 'authorize', actor: 'test' } as const;
    await expectLeft(await bed.intents.transition(command), PLENTY);
  });
});

it('is not made again where the ledger holds one already, as after a restore of the intent alone', async () => {
  await fund(PLENTY);
  const intent = await created();
  await bed.database.query({
    text: `insert into ledger_transfers (transfer_key, intent_id, from_account, to_account, amount_usd_cents, created_at, actor)
           values ($1 || ':debit', $1, 'holding', 'held', $2, service_now(), 'system')`,
    values: [intent.intentId, CENTS],
  });
  const report = await authorize(intent);
  expect(report).toMatchObject({ outcome: 'did', status: 'authorized' });
  expect(report).not.toHaveProperty('isDebited');
  expect(await debitsOf(intent)).toBe(1);
  expect(await holdingBalance(bed)).toBe(PLENTY);
});

describe('moves nothing where the intent is not authorized:', () => {
  it('past the deadline', async () => {
    await fund(PLENTY);
    const intent = await anIntent(bed, partner, {
      amountUsdCents: usdCents(CENTS),
      timeToLiveSeconds: 0,
    });
    await expect(authorize(intent)).resolves.toMatchObject({ status: 'expired' });
    await expectHeld(0, PLENTY);
  });

  it('by a token that is spent on another intent', async () => {
    await fund(PLENTY);
    const [first, second] = [await created(), await created()];
    const token = aTokenUse(partner);
    const by = ({ intentId }: PaymentIntent) =>
      bed.intents.transition({
        ...{ intentId, from: 'created', event: 'authorize', actor: 'payer' },
        ...{ token, debitUsdCents: usdCents(CENTS) },
      });
    await expect(by(first)).resolves.toMatchObject({ isDebited: true });
    await expect(by(second)).resolves.toMatchObject({ outcome: 'token_refused' });
    expect(await debitsOf(second)).toBe(0);
    await expectHeld(CENTS, PLENTY);
  });

  it('by a token that has expired', async () => {
    await fund(PLENTY);
    const intent = await created();
    const token = {
      ...aTokenUse(partner),
      expiresAtMs: secondsAfter(bed.clock.now(), -1).getTime(),
    };
    const { intentId } = intent;
    const report = await bed.intents.transition({
      ...{ intentId, from: 'created', event: 'authorize', actor: 'payer' },
      ...{ token, debitUsdCents: usdCents(CENTS) },
    });
    expect(report).toMatchObject({ outcome: 'token_refused' });
    await expectHeld(0, PLENTY);
  });
});

it('never overdraws: of thirty-two at once as many take theirs along as there is money for', async () => {
  await fund(16 * CENTS);
  const intents = await times(32, created);
  const reports = await Promise.all(intents.map((intent) => authorize(intent)));
  const joined = reports.filter(({ isDebited }) => isDebited === true).length;
  const alone = await Promise.all(
    intents.map(({ intentId, amountUsdCents }) => bed.funds.debit(intentId, amountUsdCents)),
  );
  expect(joined).toBeLessThanOrEqual(16);
  expect(alone.filter((outcome) => outcome === 'debited')).toHaveLength(16);
  expect(await holdingBalance(bed)).toBe(0);
  await expectHeld(16 * CENTS, 16 * CENTS);
});

it.each(['fail', 'cancel'] as const)('is given back by %s, once', async (event) => {
  await fund(PLENTY);
  const intent = await created();
  await authorize(intent);
  const end = () =>
    bed.intents.transition({
      ...{ intentId: intent.intentId, from: 'authorized', event, actor: 'system' },
    });
  await end();
  await end();
  await expectHeld(0, PLENTY);
});
