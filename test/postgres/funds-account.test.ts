// The funds-holding account over the ledger (spec, flow step 6; architecture, section 5): never below zero, never
// debited twice.
import { usdCents } from '../../src/domain/money';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { fundHolding } from '../../src/postgres/holding';
import {
  anIntent,
  balanceOf,
  countOf,
  openTestBed,
  times,
  type TestBed,
} from '../support/builders';
import { emptyHolding, holdingBalance } from '../support/holding-account';
import { aPartner, type TestPartner } from '../support/partner';

let bed: TestBed;
let partner: TestPartner;

beforeAll(async () => {
  bed = await openTestBed({ fundedUsdCents: 0, poolSize: 16 });
  partner = await aPartner(bed);
});
afterAll(() => bed.close());
beforeEach(() => emptyHolding(bed));

const authorized = (amount: number): Promise<PaymentIntent> =>
  anIntent(bed, partner, { status: 'authorized', amountUsdCents: usdCents(amount) });
const debit = ({ intentId, amountUsdCents }: PaymentIntent) =>
  bed.funds.debit(intentId, amountUsdCents);
const fund = (amountUsdCents: number, key = 'fund:one') =>
  fundHolding(bed.database, { key, amountUsdCents, actor: 'test' });
const transfersOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from ledger_transfers where intent_id = $1', [intentId]);

/** Holds whatever happened: the entries sum to zero, and the balance is the account's. */
async function expectBalanced() {
  const all = await countOf(
    bed,
    'select coalesce(sum(amount_usd_cents), 0) as count from ledger_entries',
  );
  expect(all).toBe(0);
  expect(await holdingBalance(bed)).toBe(await balanceOf(bed, 'holding'));
}

describe('funding', () => {
  it('adds every cent to the balance, and the ledger sums to zero', async () => {
    await expect(fund(1_000_003)).resolves.toBe(true);
    expect(await holdingBalance(bed)).toBe(1_000_003);
    await expectBalanced();
  });

  it('with a key that was used moves nothing', async () => {
    await fund(500);
    await expect(fund(500)).resolves.toBe(false);
    expect(await balanceOf(bed, 'holding')).toBe(500);
    await expectBalanced();
  });
});

describe('a debit', () => {
  it('holds the amount for its intent', async () => {
    await fund(16_000);
    const intent = await authorized(300);
    await expect(debit(intent)).resolves.toBe('debited');
    expect(await balanceOf(bed, 'held')).toBe(300);
    expect(await balanceOf(bed, 'holding')).toBe(16_000 - 300);
    await expectBalanced();
  });

  it('repeated answers debited and moves nothing more', async () => {
    await fund(16_000);
    const intent = await authorized(300);
    await debit(intent);
    await expect(debit(intent)).resolves.toBe('debited');
    expect(await transfersOf(intent)).toBe(1);
    expect(await balanceOf(bed, 'held')).toBe(300);
    await expectBalanced();
  });

  it('sent sixteen times at once moves the amount once; what threw answers debited when repeated', async () => {
    await fund(16_000);
    const intent = await authorized(300);
    await Promise.allSettled(Array.from({ length: 16 }, () => debit(intent)));
    await expect(debit(intent)).resolves.toBe('debited');
    expect(await transfersOf(intent)).toBe(1);
    expect(await balanceOf(bed, 'held')).toBe(300);
    await expectBalanced();
  });

  it('takes the very last cent', async () => {
    await fund(1_600);
    await expect(debit(await authorized(1_600))).resolves.toBe('debited');
    expect(await holdingBalance(bed)).toBe(0);
    await expectBalanced();
  });

  it('is insufficient when the balance is a cent short, and then moves nothing', async () => {
    await fund(1_600);
    const intent = await authorized(1_600 + 1);
    await expect(debit(intent)).resolves.toBe('insufficient');
    expect(await transfersOf(intent)).toBe(0);
    expect(await holdingBalance(bed)).toBe(1_600);
    await expectBalanced();
  });

  it.each(['created', 'cancelled', 'expired', 'failed', 'captured'] as const)(
    'is refused to an intent that is %s, and nothing moves',
    async (status) => {
      await fund(160_000);
      const intent = await anIntent(bed, partner, { status });
      const before = [await transfersOf(intent), await holdingBalance(bed)];
      await expect(debit(intent)).resolves.toBe('not_authorized');
      expect([await transfersOf(intent), await holdingBalance(bed)]).toEqual(before);
    },
  );

  it('is refused as not authorized, not as insufficient, when both are true', async () => {
    await expect(debit(await anIntent(bed, partner))).resolves.toBe('not_authorized');
  });
});

describe('thirty-two concurrent debits of one account', () => {
  it('never overdraw it: exactly as many succeed as it has money for', async () => {
    await fund(1_000);
    const intents = await times(32, () => authorized(100));
    const outcomes = await Promise.all(intents.map(debit));
    expect(outcomes.filter((outcome) => outcome === 'debited')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === 'insufficient')).toHaveLength(22);
    expect(await holdingBalance(bed)).toBe(0);
    expect(await balanceOf(bed, 'held')).toBe(1_000);
    await expectBalanced();
  });

  it('all succeed when there is enough', async () => {
    await fund(32 * 100);
    const intents = await times(32, () => authorized(100));
    await expect(Promise.all(intents.map(debit))).resolves.toEqual(intents.map(() => 'debited'));
    expect(await holdingBalance(bed)).toBe(0);
    await expectBalanced();
  });

  it('and releases at the same time leave every cent where it belongs', async () => {
    await fund(3_200);
    const intents = await times(16, () => authorized(100));
    await Promise.all(intents.map(debit));
    const later = await times(16, () => authorized(100));
    const releases = intents.map(({ intentId }) =>
      bed.intents.transition({ intentId, from: 'authorized', event: 'fail', actor: 'system' }),
    );
    await Promise.all([...releases, ...later.map(debit)]);
    expect(await balanceOf(bed, 'held')).toBe(1_600);
    expect(await holdingBalance(bed)).toBe(1_600);
    await expectBalanced();
  });
});

describe('the end of a payment', () => {
  const end = (intent: PaymentIntent, event: 'capture' | 'fail' | 'cancel') =>
    bed.intents.transition({
      intentId: intent.intentId,
      from: 'authorized',
      event,
      actor: 'system',
    });

  it('captured: what was held has gone to the corridor’s settlement', async () => {
    await fund(16_000);
    const intent = await authorized(300);
    await debit(intent);
    await end(intent, 'capture');
    await end(intent, 'capture');
    expect(await balanceOf(bed, 'held')).toBe(0);
    expect(await balanceOf(bed, 'settlement:th_qrpay')).toBe(300);
    expect(await transfersOf(intent)).toBe(2);
    await expectBalanced();
  });

  it.each(['fail', 'cancel'] as const)('by %s: what was held is back, once', async (event) => {
    await fund(16_000);
    const intent = await authorized(300);
    await debit(intent);
    await end(intent, event);
    await end(intent, event);
    expect(await balanceOf(bed, 'held')).toBe(0);
    expect(await holdingBalance(bed)).toBe(16_000);
    expect(await transfersOf(intent)).toBe(2);
    await expectBalanced();
  });

  it.each(['fail', 'cancel'] as const)(
    'by %s without a debit gives nothing back',
    async (event) => {
      await fund(16_000);
      const intent = await authorized(300);
      await end(intent, event);
      expect(await holdingBalance(bed)).toBe(16_000);
      expect(await transfersOf(intent)).toBe(0);
    },
  );
});

describe('the table', () => {
  it('takes no balance below zero, no second balance and no transfer of nothing', async () => {
    const overdraw = bed.database.query({
      text: 'update holding_balance set balance_usd_cents = -1',
    });
    await expect(overdraw).rejects.toThrow('holding_never_below_zero');
    const second = bed.database.query({
      text: 'insert into holding_balance (is_only_row) values (false)',
    });
    await expect(second).rejects.toThrow('holding_balance_is_one_row');
    await expect(fund(0, 'fund:nothing')).rejects.toThrow('transfer_moves_something');
  });
});
