// The debit that an authorize makes (decision 124): in the same commit or not at all, and without
// waiting for the balance.
import { usdCents } from '../../../src/domain/money';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import type { TransitionCommand, TransitionReport } from '../../../src/domain/intents/transition';
import { fundHoldingAccount } from '../../../src/postgres/ledger/holding-account';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, aTokenUse, balanceOf, countOf, move, times } from '../../support/builders';
import { secondsAfter } from '../../support/clock';
import { emptyHoldingAccount, holdingBalance } from '../../support/payments/holding-account';

const CENTS = 300;
const PLENTY = 16_000;

const bed = withDatabase({ fundedUsdCents: 0, poolSize: 16 });
const partner = withPartner(bed);
beforeEach(async () => {
  await emptyHoldingAccount(bed);
  await fund(PLENTY, 'fund:one');
});

const fund = (amountUsdCents: number, key: string) =>
  fundHoldingAccount(bed.database, { key, amountUsdCents, actor: 'test' });
const fundAnew = async (amountUsdCents: number) => {
  await emptyHoldingAccount(bed);
  await fund(amountUsdCents, 'fund:two');
};
const created = (timeToLiveSeconds = 1_800) =>
  anIntent(bed, partner, { amountUsdCents: usdCents(CENTS), timeToLiveSeconds });
const authorize = ({ intentId }: PaymentIntent, more: Partial<TransitionCommand> = {}) =>
  move(bed, intentId, 'authorize', { debitUsdCents: usdCents(CENTS), ...more });
const debitsOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, `select count(*) from ledger_transfers where transfer_key = $1 || ':debit'`, [
    intentId,
  ]);

/**
 * Checks that this amount is held, and that the stored balance equals the holding account's
 * entries.
 */
async function expectHeld(cents: number, funded = PLENTY) {
  expect(await balanceOf(bed, 'reserved')).toBe(cents);
  expect(await balanceOf(bed, 'holding')).toBe(funded - cents);
  expect(await holdingBalance(bed)).toBe(funded - cents);
}

function expectNotJoined(report: TransitionReport, outcome: string) {
  expect(report).toMatchObject({ outcome, status: 'authorized' });
  expect(report).not.toHaveProperty('isDebited');
}

it('a joined debit holds the amount of the intent, under the key of a separate debit', async () => {
  const intent = await created();
  await expect(authorize(intent)).resolves.toMatchObject({
    ...{ outcome: 'did', status: 'authorized', isDebited: true },
  });
  await expect(bed.funds.debit(intent.intentId, intent.amountUsdCents)).resolves.toBe('debited');
  expect(await debitsOf(intent)).toBe(1);
  await expectHeld(CENTS);
});

it('a joined debit is made once by sixteen calls, and a repeat does not report it', async () => {
  const intent = await created();
  const reports = await times(16, () => authorize(intent));
  expect(reports.filter(({ isDebited }) => isDebited === true)).toHaveLength(1);
  expectNotJoined(await authorize(intent), 'same');
  expect(await debitsOf(intent)).toBe(1);
  await expectHeld(CENTS);
});

describe('a joined debit is left to a separate step, and the intent is authorized anyway,', () => {
  it('where the account has a cent too little', async () => {
    await fundAnew(CENTS - 1);
    expectNotJoined(await authorize(await created()), 'did');
    await expectHeld(0, CENTS - 1);
  });

  it('where another transaction has locked the balance: it does not wait', async () => {
    const intent = await created();
    const report = await bed.database.inTransaction(async (connection) => {
      await connection.query({ text: 'select from holding_balance for update' });
      return authorize(intent);
    });
    expectNotJoined(report, 'did');
    await expectHeld(0);
  });

  it.each([
    ['the amount is not the intent’s', usdCents(CENTS + 1)],
    ['the caller did not request it', undefined],
  ])('where %s', async (_why, debitUsdCents) => {
    expectNotJoined(await authorize(await created(), { debitUsdCents }), 'did');
    await expectHeld(0);
  });
});

it('a joined debit is not made again where the ledger has it already', async () => {
  const intent = await created();
  await bed.database.query({
    text: `insert into ledger_transfers (transfer_key, intent_id, from_account, to_account,
                                         amount_usd_cents, created_at, actor)
           values ($1 || ':debit', $1, 'holding', 'reserved', $2, service_now(), 'system')`,
    values: [intent.intentId, CENTS],
  });
  expectNotJoined(await authorize(intent), 'did');
  expect(await debitsOf(intent)).toBe(1);
  expect(await holdingBalance(bed)).toBe(PLENTY);
});

describe('a joined debit moves nothing where the intent is not authorized:', () => {
  it('past the deadline', async () => {
    await expect(authorize(await created(0))).resolves.toMatchObject({ status: 'expired' });
    await expectHeld(0);
  });

  it('by a token that is spent on another intent', async () => {
    const [first, second, token] = [await created(), await created(), aTokenUse(partner)];
    await expect(authorize(first, { token })).resolves.toMatchObject({ isDebited: true });
    const rejected = { outcome: 'not_allowed' };
    await expect(authorize(second, { token })).resolves.toMatchObject(rejected);
    expect(await debitsOf(second)).toBe(0);
    await expectHeld(CENTS);
  });

  it('by a token that has expired', async () => {
    const expiresAtMs = secondsAfter(bed.clock.now(), -1).getTime();
    const report = await authorize(await created(), {
      token: { ...aTokenUse(partner), expiresAtMs },
    });
    expect(report).toMatchObject({ outcome: 'not_allowed' });
    await expectHeld(0);
  });
});

it('joined debits never overdraw: of thirty-two, only the covered ones are made', async () => {
  await fundAnew(16 * CENTS);
  const intents = await times(32, () => created());
  const reports = await Promise.all(intents.map((intent) => authorize(intent)));
  const joined = reports.filter(({ isDebited }) => isDebited === true).length;
  const alone = await Promise.all(
    intents.map(({ intentId, amountUsdCents }) => bed.funds.debit(intentId, amountUsdCents)),
  );
  expect(joined).toBeLessThanOrEqual(16);
  expect(alone.filter((outcome) => outcome === 'debited')).toHaveLength(16);
  await expectHeld(16 * CENTS, 16 * CENTS);
});

it.each(['fail', 'cancel'] as const)('a joined debit is released once by %s', async (event) => {
  const intent = await created();
  await authorize(intent);
  await move(bed, intent.intentId, event, { from: 'authorized' });
  await move(bed, intent.intentId, event, { from: 'authorized' });
  await expectHeld(0);
});
