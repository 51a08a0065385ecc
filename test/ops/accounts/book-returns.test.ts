// `payctl accounts book` (decision 157), of money that came back: the booking makes what is due
// equal to what the statement says that came, so that its repayment clears the debt.
import { recordCosts } from '../../../src/ops/accounts/book';
import { checkLedger } from '../../../src/postgres/ledger/check';
import { bookRepayment } from '../../../src/postgres/ledger/repayment';
import { balanceOf, move } from '../../support/builders';
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
