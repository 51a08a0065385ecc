// The funds-holding account over the ledger (architecture, section 5): it is never below zero, and
// no intent is debited twice.
import { usdCents } from '../../../src/domain/money';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { fundHoldingAccount } from '../../../src/postgres/ledger/holding-account';
import { withDatabase, withPartner } from '../../support/brackets';
import { anIntent, balanceOf, countOf, move, times } from '../../support/builders';
import { emptyHoldingAccount, holdingBalance } from '../../support/payments/holding-account';

const bed = withDatabase({ fundedUsdCents: 0, poolSize: 16 });
const partner = withPartner(bed);
beforeEach(() => emptyHoldingAccount(bed));

const authorized = (amount: number): Promise<PaymentIntent> =>
  anIntent(bed, partner, { status: 'authorized', amountUsdCents: usdCents(amount) });
const debit = ({ intentId, amountUsdCents }: PaymentIntent) =>
  bed.funds.debit(intentId, amountUsdCents);
const fund = (amountUsdCents: number, key = 'fund:one') =>
  fundHoldingAccount(bed.database, { key, amountUsdCents, actor: 'test' });
const transfersOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from ledger_transfers where intent_id = $1', [intentId]);

/**
 * Checks both amounts, that all entries sum to zero, and that the stored balance equals the holding
 * account's entries.
 */
async function expectBalances(holding: number, held: number) {
  const text = 'select coalesce(sum(amount_usd_cents), 0) as count from ledger_entries';
  expect(await countOf(bed, text)).toBe(0);
  expect(await balanceOf(bed, 'holding')).toBe(holding);
  expect(await holdingBalance(bed)).toBe(holding);
  expect(await balanceOf(bed, 'reserved')).toBe(held);
}

describe('funding', () => {
  it('adds every cent to the balance, once per key', async () => {
    await expect(fund(1_000_003)).resolves.toBe(true);
    await expect(fund(1_000_003)).resolves.toBe(false);
    await expectBalances(1_000_003, 0);
  });
});

describe('a debit', () => {
  it('returns debited for a repeat and moves nothing more', async () => {
    await fund(16_000);
    const intent = await authorized(300);
    await expect(debit(intent)).resolves.toBe('debited');
    await expect(debit(intent)).resolves.toBe('debited');
    expect(await transfersOf(intent)).toBe(1);
    await expectBalances(15_700, 300);
  });

  it('sent sixteen times at once moves the amount once, and a repeat returns debited', async () => {
    await fund(16_000);
    const intent = await authorized(300);
    await Promise.allSettled(Array.from({ length: 16 }, () => debit(intent)));
    await expect(debit(intent)).resolves.toBe('debited');
    expect(await transfersOf(intent)).toBe(1);
    await expectBalances(15_700, 300);
  });

  it('may use the very last cent', async () => {
    await fund(1_600);
    await expect(debit(await authorized(1_600))).resolves.toBe('debited');
    await expectBalances(0, 1_600);
  });

  it('is insufficient when the balance is a cent short, and then moves nothing', async () => {
    await fund(1_600);
    const intent = await authorized(1_600 + 1);
    await expect(debit(intent)).resolves.toBe('insufficient');
    expect(await transfersOf(intent)).toBe(0);
    await expectBalances(1_600, 0);
  });

  it.each(['created', 'cancelled', 'expired', 'failed', 'captured'] as const)(
    'is rejected for an intent that is %s, and nothing moves',
    async (status) => {
      await fund(160_000);
      const intent = await anIntent(bed, partner, { status });
      const before = [await transfersOf(intent), await holdingBalance(bed)];
      await expect(debit(intent)).resolves.toBe('not_authorized');
      expect([await transfersOf(intent), await holdingBalance(bed)]).toEqual(before);
    },
  );

  it('returns not_authorized, not insufficient, when both are true', async () => {
    await expect(debit(await anIntent(bed, partner))).resolves.toBe('not_authorized');
  });
});

describe('thirty-two concurrent debits of one account', () => {
  it.each([
    ['for all', 3_200, 32],
    ['for ten of them', 1_000, 10],
  ])('succeed as far as there is money: %s', async (_what, funded, enough) => {
    await fund(funded);
    const intents = await times(32, () => authorized(100));
    const outcomes = (await Promise.all(intents.map(debit))).toSorted();
    const expected = intents.map((_, nth) => (nth < enough ? 'debited' : 'insufficient'));
    expect(outcomes).toEqual(expected);
    await expectBalances(0, funded);
  });

  it('and simultaneous releases leave correct balances', async () => {
    await fund(3_200);
    const intents = await times(16, () => authorized(100));
    await Promise.all(intents.map(debit));
    const later = await times(16, () => authorized(100));
    const releases = intents.map(({ intentId }) => move(bed, intentId, 'fail'));
    await Promise.all([...releases, ...later.map(debit)]);
    await expectBalances(1_600, 1_600);
  });
});

describe('the end of a payment', () => {
  async function ended(event: 'capture' | 'fail' | 'cancel', isDebited: boolean) {
    await fund(16_000);
    const intent = await authorized(300);
    if (isDebited) await debit(intent);
    await move(bed, intent.intentId, event, { from: 'authorized' });
    await move(bed, intent.intentId, event, { from: 'authorized' });
    return transfersOf(intent);
  }

  it('by capture moves the reserved amount to the corridor’s settlement account', async () => {
    expect(await ended('capture', true)).toBe(2);
    expect(await balanceOf(bed, 'settlement:th_qrpay')).toBe(300);
    await expectBalances(15_700, 0);
  });

  it.each(['fail', 'cancel'] as const)('by %s releases the reserved amount once', async (event) => {
    expect(await ended(event, true)).toBe(2);
    await expectBalances(16_000, 0);
  });

  it.each(['fail', 'cancel'] as const)('by %s without a debit releases nothing', async (event) => {
    expect(await ended(event, false)).toBe(0);
    await expectBalances(16_000, 0);
  });
});

describe('the table', () => {
  it('rejects a balance below zero, a second balance and a transfer of zero', async () => {
    const overdraw = bed.database.query({
      text: 'update holding_balance set balance_usd_cents = -1',
    });
    await expect(overdraw).rejects.toThrow('holding_never_below_zero');
    const second = bed.database.query({
      text: 'insert into holding_balance (is_only_row) values (false)',
    });
    await expect(second).rejects.toThrow('holding_balance_is_one_row');
    await expect(fund(0, 'fund:nothing')).rejects.toThrow('transfer_amount_is_positive');
  });
});
