// `payctl accounts book` (decision 157): what a provider took beyond the payments' amounts, once a
// month, to the cent, and with what was left of the months before.
import { recordCosts } from '../../../src/ops/accounts/book';
import type { Queryable } from '../../../src/postgres/database';
import { decide } from '../../../src/postgres/approvals/decide';
import { bookCosts } from '../../../src/postgres/ledger/costs';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { pruneIntents } from '../../../src/postgres/intents/prune';
import { wouldWait } from '../../postgres/intents/lock-probe';
import { balanceOf, countOf, within } from '../../support/builders';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { days, finishAll, LATER, ORDER } from '../data/ended-payments';
import {
  bahtLineOf,
  orderedInBaht,
  withReconciliation,
  type StatedLine,
} from '../ledger/reconcile-world';

const world = withReconciliation();

const DAY = 24 * 60;
/** Minutes from noon of 2 March to a time in April. */
const IN_APRIL = 31 * DAY;
const [MARCH, APRIL] = [
  { name: '2026-03', end: new Date('2026-04-01T00:00:00Z') },
  { name: '2026-04', end: new Date('2026-05-01T00:00:00Z') },
];

/** A payment of 12.50 USD, captured, with a cost. */
async function paid(debited: string, fee: string | null, at = 0) {
  const intentId = await world.payment('captured', { at });
  await setCost(intentId, debited, fee);
  return intentId;
}

async function setCost(intentId: string, debited: string, fee: string | null) {
  await world.bed.database.query({
    text: `update payouts set cost_currency = 'USDT', cost_debited = $2::numeric,
                              cost_fee = $3::numeric where intent_id = $1`,
    values: [intentId, debited, fee],
  });
}

const book = (period = MARCH, actor = 'ann') =>
  recordCosts(world.bed.database, { corridor: 'th_qrpay', period }, actor);
const balances = async () => [
  await balanceOf(world.bed, 'fees:th_qrpay'),
  await balanceOf(world.bed, 'fx:th_qrpay'),
  await balanceOf(world.bed, 'settlement:th_qrpay'),
];
const violations = async () => {
  const checks = await checkLedger(world.bed.database, () => undefined);
  return checks.filter((check) => check.violations > 0).map(({ name }) => name);
};
const endOf = async (month = MARCH) => world.bed.setNow(month.end);

describe('payctl accounts book', () => {
  it('books fees and the rest, to the cent, with the operator', async () => {
    await paid('12.8040001', '0.3', 1);
    await paid('12.4', null, 2);
    await world.payment('captured', { at: 3 });
    await endOf();
    const args = ['accounts', 'book', '--corridor', 'th_qrpay', '--period', '2026-03', '--as', 'a'];
    const booked = jsonOf(await runPayctl(world.bed, [...args, '--json']));
    const march = { corridor: 'th_qrpay', period: '2026-03', fees_usd_cents: 30 };
    expect(booked).toEqual({ ...march, is_repeat: false, fx_usd_cents: -10, kept_usd_cents: 0 });
    expect(await balances()).toEqual([-30, 10, 3 * 1_250 + 20]);
    const { rows } = await world.bed.database.query({
      text: `select transfer_key, from_account, to_account, amount_usd_cents, actor
               from ledger_transfers where transfer_key like 'cost:%' order by 1`,
    });
    const [fx, settlement] = ['fx:th_qrpay', 'settlement:th_qrpay'];
    expect(rows.map((row) => Object.values(row) as readonly unknown[])).toEqual([
      ['cost:fees:th_qrpay:2026-03', 'fees:th_qrpay', settlement, 30, 'a'],
      ['cost:fx:th_qrpay:2026-03', settlement, fx, 10, 'a'],
    ]);
    expect(textOf(await runPayctl(world.bed, args))).toMatch(
      /or a later one is booked: nothing was booked now\. Fees: 0\.30 USD\.\s+Beyond amounts and fees: -0\.10 USD\. Kept of money that came back: 0\.00 USD\.\n$/,
    );
    expect(await violations()).toEqual([]);
  });

  it('books once for two commands at once, and changes nothing if it is repeated', async () => {
    await paid('13', '0.2');
    await endOf();
    const both = await Promise.all([book(MARCH, 'ann'), book(MARCH, 'bob')]);
    expect(both.filter(({ is_repeat }) => !is_repeat)).toHaveLength(1);
    expect(both.map(({ fees_usd_cents, fx_usd_cents }) => [fees_usd_cents, fx_usd_cents])).toEqual([
      [20, 30],
      [20, 30],
    ]);
    await paid('99', '1', 5);
    await endOf();
    await expect(book()).resolves.toMatchObject({ is_repeat: true, fx_usd_cents: 30 });
    expect((await balances()).slice(0, 2)).toEqual([-20, -30]);
  });

  it('rounds the sum once, and carries the remainder to the next month', async () => {
    // Four times 0.4 cents: each rounded alone would be none.
    for (const at of [1, 2, 3, 4]) await paid('12.504', null, at);
    await endOf();
    await expect(book()).resolves.toMatchObject({ fees_usd_cents: 0, fx_usd_cents: 2 });
    await paid('12.509', null, IN_APRIL);
    await endOf(APRIL);
    // 1.6 and 0.9 are 2.5 cents, of which 2 are booked.
    await expect(book(APRIL)).resolves.toMatchObject({ fx_usd_cents: 1 });
    expect(await balances()).toEqual([0, -3, 5 * 1_250 + 3]);
    expect(await violations()).toEqual([]);
  });

  it('books a cost that was stored after its month with the next one', async () => {
    await paid('12.6', '0.05', 1);
    const late = await world.payment('captured', { at: 2 });
    await endOf();
    await book();
    await setCost(late, '12.7', '0.1');
    await endOf(APRIL);
    await expect(book(APRIL)).resolves.toMatchObject({ fees_usd_cents: 10, fx_usd_cents: 10 });
  });

  it('includes neither later payments nor other corridors nor what was not captured', async () => {
    await paid('12.6', null, 1);
    await paid('20', null, IN_APRIL);
    await setCost(await world.payment('captured', { at: 2, corridor: 'vn_qrpay' }), '30', '1');
    await setCost(await world.payment('failed', { at: 3 }), '40', '1');
    await setCost(await world.payment('refunded', { at: 4 }), '12.61', null);
    await endOf();
    await expect(book()).resolves.toMatchObject({ fees_usd_cents: 0, fx_usd_cents: 21 });
  });

  it('rejects a month that is not over, by the clock of Postgres', async () => {
    await paid('13', null);
    await world.bed.setNow(new Date(MARCH.end.getTime() - 1));
    await expect(book()).rejects.toThrow(/^2026-03 is not over: .*2026-03-31T23:59:59\.999Z/);
    const wrong = ['accounts', 'book', '--corridor', 'th_qrpay', '--period', '2026-13'];
    expectRejected(await runPayctl(world.bed, wrong), 2, /Expected a month, such as 2026-03/);
    expect(
      await countOf(
        world.bed,
        `select count(*) from ledger_transfers where to_account like 'fx:%'`,
      ),
    ).toBe(0);
  });

  it('books nothing for a month before one that is booked, whose booking includes it', async () => {
    await paid('13', null, IN_APRIL);
    await endOf(APRIL);
    await expect(book(APRIL)).resolves.toMatchObject({ fx_usd_cents: 50 });
    await expect(book(MARCH)).resolves.toMatchObject({ is_repeat: true, fx_usd_cents: 0 });
    expect((await balances())[1]).toBe(-50);
  });

  it('includes what several prunes have deleted', async () => {
    await paid('12.504', '0.001', 1);
    await endOf();
    await book();
    const prune = async (before: Date, at: Date) => {
      await finishAll(world.bed);
      await world.bed.setNow(at);
      const order = { ...ORDER, before };
      const { pruned } = await pruneIntents(world.bed.database, order, () => undefined);
      expect(pruned).toBe(1);
    };
    await prune(ORDER.before, LATER);
    await paid('12.504', '0.001', 150 * DAY);
    await prune(days(200), days(300));
    expect(await countOf(world.bed, 'select count(*) from payouts')).toBe(0);
    // 0.4 and 0.4 cents: one of them alone is none.
    await expect(book(APRIL)).resolves.toMatchObject({ fees_usd_cents: 0, fx_usd_cents: 1 });
    expect(await violations()).toEqual([]);
  });

  it('waits for a prune that moves costs out of the payouts', async () => {
    await paid('13', null);
    await finishAll(world.bed);
    await world.bed.setNow(LATER);

    await world.bed.database.inTransaction(async (connection) => {
      await pruneIntents(within(connection), ORDER, () => undefined);
      const wait = (other: Queryable) => bookCosts(within(other), 'th_qrpay', MARCH, 'ann');
      expect(await wouldWait(world.bed.database, wait)).toBe(true);
    });
    // The command that waited has summed what the prune moved.
    const given = { corridor: 'th_qrpay', period: '2026-03', sums: { fees: '0', total: '50' } };
    const carried = { fees: 0, total: 0 };
    const late = { verb: 'accounts book', given: { ...given, carried } };
    await expect(decide(world.bed.database, late)).rejects.toThrow(/A prune has moved costs/);
  });
});

it('leaves books that agree with the statement, month after month', async () => {
  const costs = ['12.8040001', '12.404', '12.5000004'];
  const lines: StatedLine[] = [];
  for (const cost of costs) {
    const intentId = await world.payment('captured', { at: 60 });
    await orderedInBaht(world, intentId, { cost, fee: '0.1' });
    lines.push(bahtLineOf(intentId, { debited: cost }));
  }
  const isClean = async () => (await world.reconcile(lines)).isClean && (await violations());
  expect(await isClean()).toEqual([]);
  await endOf();
  await expect(book()).resolves.toMatchObject({ fees_usd_cents: 30, fx_usd_cents: -9 });
  expect(await isClean()).toEqual([]);
  await paid('12.507', null, IN_APRIL);
  await endOf(APRIL);
  // 20.80005 cents of March were booked as 21; 0.7 of April make 21.50005.
  await expect(book(APRIL)).resolves.toMatchObject({ fees_usd_cents: 0, fx_usd_cents: 1 });
  expect(await isClean()).toEqual([]);
});

it.each([
  [
    'the account of another corridor',
    'cost:fx:th_qrpay:2026-03',
    `'fx:vn_qrpay', 'settlement:th_qrpay'`,
  ],
  ['another account', 'cost:fx:th_qrpay:2026-03', `'fees:th_qrpay', 'settlement:th_qrpay'`],
  [
    'the settlement of a return',
    'cost:due:th_qrpay:2026-03',
    `'due:th_qrpay', 'settlement:th_qrpay'`,
  ],
  ['no settlement', 'cost:fx:th_qrpay:2026-03', `'fx:th_qrpay', 'funding'`],
  ['no month', 'cost:fx:th_qrpay:2025-13', `'fx:th_qrpay', 'settlement:th_qrpay'`],
  ['a month to come', 'cost:fx:th_qrpay:9999-12', `'fx:th_qrpay', 'settlement:th_qrpay'`],
  ['a month that is not over', 'cost:fx:th_qrpay:2026-04', `'fx:th_qrpay', 'settlement:th_qrpay'`],
  ['no key of a cost', 'wire-1', `'fx:th_qrpay', 'settlement:th_qrpay'`],
])('a booking with %s fails the check of the ledger', async (_what, key, way) => {
  await world.bed.database.query({
    text: `insert into ledger_transfers
             (transfer_key, from_account, to_account, amount_usd_cents, created_at, actor)
           values ('${key}', ${way}, 1, '2026-05-01T00:00:00+01:00', 'ann')`,
  });
  expect(await violations()).toContain('transfers_go_a_known_way');
});
