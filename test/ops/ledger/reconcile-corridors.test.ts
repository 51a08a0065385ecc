// `payctl reconcile` with a statement that does not cover the corridors that it is reconciled with:
// it must not report or mark their payments one by one (decision 130).
import { anIntentId } from '../../support/builders';
import { kindsIn, lineOf, minutes, withReconciliation } from './reconcile-world';

const world = withReconciliation();

describe('a corridor that the statement lacks', () => {
  const corridor = 'vn_qrpay';

  it('is one finding, whatever number of its payments were captured, and marks none', async () => {
    const thai = await world.payment('captured');
    const lost = await world.payment('captured');
    const missing = [
      await world.payment('captured', { corridor, at: 30 }),
      await world.payment('refunded', { corridor, at: 50, capturedAt: 70 }),
    ];
    const reconciled = await world.reconcile([lineOf(thai)]);
    expect(reconciled).toMatchObject({ isClean: false, differences: 2 });
    expect(kindsIn(reconciled)).toEqual([
      ['captured_not_paid', `${lost}:payout`],
      ['corridor_missing', 'vn_qrpay from 2026-03-02T12:00:00Z'],
    ]);
    expect(reconciled.findings[1]).toMatchObject({
      ...{ intent_id: null, line: null, stated_corridor: corridor, times: 2 },
      ...{ moved_from: minutes(30), moved_until: minutes(70) },
    });
    for (const payment of missing) expect(await world.attentionOf(payment)).toBeNull();
    expect(await world.reconcile([lineOf(thai)])).toMatchObject({ differences: 2, closed: 0 });
  });

  it('is no finding where none of its payments was captured in the period', async () => {
    const thai = await world.payment('captured');
    await world.payment('failed', { corridor });
    await world.payment('created', { corridor });
    await world.payment('captured', { corridor, at: 3 });
    const reconciled = await world.reconcile([lineOf(thai)]);
    expect(reconciled).toMatchObject({ isClean: true, openPayments: 1 });
  });

  it('does not count as missing where the statement has a line of it outside the period', async () => {
    const [earlier, missing] = [
      await world.payment('captured', { corridor, at: -60 }),
      await world.payment('captured', { corridor }),
    ];
    const thai = lineOf(await world.payment('captured'));
    const reconciled = await world.reconcile([thai, lineOf(earlier, { corridor, at: -60 })]);
    expect(kindsIn(reconciled)).toEqual([['captured_not_paid', `${missing}:payout`]]);
  });

  it('closes no finding', async () => {
    const failed = lineOf(await world.payment('failed'));
    const thai = lineOf(await world.payment('captured'));
    await world.reconcile([failed, thai]);
    await world.payment('captured', { corridor });
    const reconciled = await world.reconcile([thai]);
    expect(reconciled).toMatchObject({ differences: 1, closed: 0 });
  });
});

describe('the statement of one corridor', () => {
  it('is rejected at its first line of another, and nothing is stored', async () => {
    const thai = await world.payment('captured');
    await world.payment('captured', { corridor: 'vn_qrpay' });
    const vietnamese = lineOf(anIntentId(), { corridor: 'vn_qrpay' });
    const lines = [vietnamese, lineOf(thai), lineOf(anIntentId())];
    await expect(world.reconcile(lines, { corridor: 'vn_qrpay' })).rejects.toThrow(
      'line 2: it is of the corridor "th_qrpay", and --corridor is vn_qrpay. Give the statement of vn_qrpay, or leave --corridor out if this one covers all.',
    );
    const { rows } = await world.bed.database.query({
      text: `select from payment_intents where attention_since is not null or must_query_provider
             union all select from reconciliations`,
    });
    expect(rows).toEqual([]);
  });
});
