// `payctl accounts book` (decision 157), of money that came back: the booking makes what is due
// equal to what the statement says that came, so that its repayment clears the debt.
import { recordCosts } from '../../../src/ops/accounts/book';
import { pruneIntents } from '../../../src/postgres/intents/prune';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { bookRepayment } from '../../../src/postgres/ledger/repayment';
import { balanceOf, move } from '../../support/builders';
import { finishAll, LATER, ORDER } from '../data/ended-payments';
import { bahtLineOf, minutes, orderedInBaht, withReconciliation } from '../ledger/reconcile-world';

const world = withReconciliation();

const MARCH = { name: '2026-03', end: new Date('2026-04-01T00:00:00Z') };
const book = () => recordCosts(world.bed.database, { corridor: 'th_qrpay', period: MARCH }, 'ann');

describe('money that came back', () => {
  const line = (intentId: string, came: string | null) =>
    bahtLineOf(intentId, {
      ...{ at: 70, status: 'returned' },
      cost: came === null ? null : { currency: 'USDT', debited: came },
    });
  const returned = async (came: string | null) => {
    const intentId = await world.payment('captured', { at: 60 });
    await orderedInBaht(world, intentId, { cost: '12.5', fee: null });
    const lines = [bahtLineOf(intentId, { debited: '12.5' }), line(intentId, came)];
    await world.reconcile(lines);
    await move(world.bed, intentId, 'refund', { from: 'captured' });
    return lines;
  };

  it.each([
    ['less than was refunded', '12.304', 20],
    ['more than was refunded', '12.606', -11],
  ])('by its statement, %s, is booked so that nothing is due', async (_what, came, kept) => {
    const lines = await returned(came);
    await world.bed.setNow(MARCH.end);
    await expect(book()).resolves.toMatchObject({ fx_usd_cents: 0, kept_usd_cents: kept });
    const repayment = { corridor: 'th_qrpay', key: 'wire-1', actor: 'ann' } as const;
    const amountUsdCents = 1_250 - kept;
    await bookRepayment(world.bed.database, { ...repayment, amountUsdCents });
    expect(await balanceOf(world.bed, 'due:th_qrpay')).toBe(0);
    expect(await balanceOf(world.bed, 'fx:th_qrpay')).toBe(-kept);
    const checks = await checkLedger(world.bed.database, () => undefined);
    expect(checks.filter((check) => check.violations > 0)).toEqual([]);
    await expect(book()).resolves.toMatchObject({ is_repeat: true, kept_usd_cents: kept });
    expect(await world.reconcile(lines)).toMatchObject({ isClean: true });
  });

  it('is booked by a later statement, where the first had not said how much', async () => {
    const intentId = await world.payment('captured', { at: 60 });
    await orderedInBaht(world, intentId, { cost: '12.5', fee: null });
    for (const came of [null, '12.3']) await world.reconcile([line(intentId, came)]);
    await move(world.bed, intentId, 'refund', { from: 'captured' });
    await world.bed.setNow(MARCH.end);
    await expect(book()).resolves.toMatchObject({ kept_usd_cents: 20 });
  });

  it.each([
    ['the first', ['12.3', '12.3', '12.2']],
    ['a later one, where the first had not said how much', [null, '12.3', '12.3']],
  ])(
    'by statements after the refund is booked once, and is no finding: %s',
    async (_what, came) => {
      const intentId = await world.payment('captured', { at: 60 });
      await orderedInBaht(world, intentId, { cost: '12.5', fee: null });
      const paid = bahtLineOf(intentId, { debited: '12.5' });
      const [first = null, ...later] = came;
      if (first === null) await world.reconcile([paid, line(intentId, first)]);
      await move(world.bed, intentId, 'refund', { from: 'captured' });
      for (const cost of first === null ? later : came) {
        const reconciled = await world.reconcile([paid, line(intentId, cost)]);
        expect(reconciled).toMatchObject({ isClean: true, findings: [], closed: 0 });
      }
      expect(await world.attentionOf(intentId)).toBeNull();
      await world.bed.setNow(MARCH.end);
      await expect(book()).resolves.toMatchObject({ fx_usd_cents: 0, kept_usd_cents: 20 });
      expect(await balanceOf(world.bed, 'due:th_qrpay')).toBe(-1_230);
    },
  );

  it.each([
    ['before it ended', true, false],
    ['after it ended', false, false],
    ['and is pruned', true, true],
  ])('of a payment that failed, by a statement %s: what is missing is booked', async (...given) => {
    const [, isBefore, isPruned] = given;
    const intentId = await world.payment('authorized', { at: 60 });
    await orderedInBaht(world, intentId, { cost: '12.5', fee: '0.3' });
    const lines = [bahtLineOf(intentId, { debited: '12.5' }), line(intentId, '11.004')];
    if (isBefore) await world.reconcile(lines);
    await move(world.bed, intentId, 'fail', { from: 'authorized' });
    expect(await world.reconcile(lines)).toMatchObject({ isClean: true });
    await finishAll(world.bed);
    await world.bed.setNow(LATER);
    const order = isPruned ? ORDER : { ...ORDER, before: minutes(0) };
    const { pruned } = await pruneIntents(world.bed.database, order, () => undefined);
    expect(pruned).toBe(isPruned ? 1 : 0);
    const costs = { fees_usd_cents: 0, fx_usd_cents: 150, kept_usd_cents: 0 };
    await expect(book()).resolves.toMatchObject(costs);
    expect(await balanceOf(world.bed, 'settlement:th_qrpay')).toBe(150);
    const checks = await checkLedger(world.bed.database, () => undefined);
    expect(checks.filter((check) => check.violations > 0)).toEqual([]);
  });

  it.each([
    ['no line says how much', null],
    ['a line that is too near the edge does', '12.3'],
  ])('is not booked where %s', async (_what, came) => {
    const intentId = await world.payment('captured', { at: 60 });
    await orderedInBaht(world, intentId, { cost: '12.4', fee: null });
    const paidLine = bahtLineOf(intentId, { debited: '12.4' });
    const at = came === null ? 70 : 117;
    await world.reconcile([
      paidLine,
      { ...line(intentId, came), ...{ executed_at: minutes(at).toISOString() } },
    ]);
    await move(world.bed, intentId, 'refund', { from: 'captured' });
    await world.bed.setNow(MARCH.end);
    await expect(book()).resolves.toMatchObject({ fx_usd_cents: -10, kept_usd_cents: 0 });
    expect(await balanceOf(world.bed, 'due:th_qrpay')).toBe(-1_250);
  });
});
