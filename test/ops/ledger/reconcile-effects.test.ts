// A clean `payctl reconcile` lifts a stop by age if it covers the whole gap, and no other stop
// (decision 127).
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { lineOf, minutes, type StatedLine, withReconciliation } from './reconcile-world';
import type { ReconcileOptions } from '../../../src/ops/ledger/reconcile/reconcile';

describe('a stop by age, and a reconciliation', () => {
  /** A gap in the middle of the period from 0 to 120, whose edges of 5 minutes are left open. */
  const GAP_SINCE = 40;
  const STOPPED_AT = 70;

  const world = withReconciliation();
  let line: StatedLine;
  let vietnamese: StatedLine;
  beforeEach(async () => {
    line = lineOf(await world.payment('captured'));
    const before = { corridor: 'vn_qrpay', at: -60 } as const;
    vietnamese = lineOf(await world.payment('captured', before), before);
    await world.bed.setNow(minutes(STOPPED_AT));
    await world.bed.payoutStops.stop({
      ...{ actor: 'system', reason: 'not compared', kind: 'watch_gap' },
      gapSince: minutes(GAP_SINCE),
    });
  });

  const reconcile = (options: Partial<ReconcileOptions> = {}, lines = [line, vietnamese]) =>
    world.reconcile(lines, options);
  const inForce = async () =>
    (await listPayoutStops(world.bed.database))
      .filter(({ ended_at: endedAt }) => endedAt === null)
      .map(({ kind }) => kind);

  it('lifts the stop, and says by which reconciliation', async () => {
    const { reconciliationId, lifted } = await reconcile();
    expect(lifted).toMatchObject([
      {
        kind: 'watch_gap',
        ended_by: 'ann',
        ended_reason: `reconciliation ${String(reconciliationId)} is clean`,
      },
    ]);
    await expect(inForce()).resolves.toEqual([]);
  });

  it.each<[string, Partial<ReconcileOptions>]>([
    ['begins less than five minutes before the gap', { since: minutes(GAP_SINCE - 5) }],
    ['ends less than five minutes after the stop', { until: minutes(STOPPED_AT + 5) }],
    ['is of one corridor', { corridor: 'th_qrpay' }],
  ])('lifts nothing if the statement %s', async (_what, options) => {
    const lines = options.corridor === undefined ? [line, vietnamese] : [line];
    const { isClean, lifted } = await reconcile(options, lines);
    expect([isClean, lifted]).toEqual([true, []]);
    await expect(inForce()).resolves.toEqual(['watch_gap']);
  });

  it('lifts no stop of the last five minutes, even if a line is dated in the future', async () => {
    const last = lineOf(await world.payment('captured', { at: 179 }), { at: 184 });
    await world.bed.setNow(minutes(176));
    await world.bed.payoutStops.stop({
      ...{ actor: 'system', reason: 'not compared again', kind: 'watch_gap' },
      gapSince: minutes(170),
    });
    const reconciled = await reconcile({ until: undefined }, [line, last, vietnamese]);
    expect(reconciled.reconciledPeriod?.until).toEqual(minutes(175));
    expect(reconciled.lifted).toMatchObject([{ at: minutes(STOPPED_AT) }]);
    await expect(inForce()).resolves.toEqual(['watch_gap']);
  });

  it('lifts nothing if the statement has no line of a corridor', async () => {
    const { isClean, lifted } = await reconcile({}, [line]);
    expect([isClean, lifted]).toEqual([true, []]);
    await expect(inForce()).resolves.toEqual(['watch_gap']);
  });

  it('lifts nothing if the books differ', async () => {
    const unknown = lineOf('', { key: 'pi_7' });
    await expect(reconcile({}, [line, unknown, vietnamese])).resolves.toMatchObject({
      differences: 1,
      lifted: [],
    });
    await expect(inForce()).resolves.toEqual(['watch_gap']);
  });

  it('lifts no stop by an operator, and none for a restore', async () => {
    for (const kind of ['operator', 'restore'] as const) {
      await world.bed.payoutStops.stop({ actor: 'bob', reason: kind, kind });
    }
    await expect(reconcile()).resolves.toMatchObject({ lifted: [{ kind: 'watch_gap' }] });
    expect((await inForce()).toSorted()).toEqual(['operator', 'restore']);
  });
});

// A payment that the statement lists as paid does not end unpaid before the provider was queried
// (decision 130).
describe('a payment that the statement lists as paid', () => {
  const world = withReconciliation();

  async function mustQuery(intentId: string): Promise<boolean | undefined> {
    const { rows } = await world.bed.database.query<{ readonly must_query: boolean }>({
      text: 'select must_query_provider as must_query from payment_intents where intent_id = $1',
      values: [intentId],
    });
    return rows[0]?.must_query;
  }

  it('expires, if it is created, only after the provider was queried', async () => {
    const open = await world.payment('created');
    await world.reconcile([lineOf(open)]);
    const expire = { intentId: open, from: 'created', event: 'expire', actor: 'system' } as const;
    const { intents, payoutJournal } = world.bed;
    await expect(intents.transition(expire)).resolves.toMatchObject({
      ...{ outcome: 'not_queried', status: 'created' },
    });
    await payoutJournal.recordUnpaid(open, 'query-1');
    await expect(intents.transition({ ...expire, queryId: 'query-1' })).resolves.toMatchObject({
      status: 'expired',
    });
  });

  it('is marked by a finding that was already open, without new attention', async () => {
    const open = await world.payment('created');
    await world.reconcile([lineOf(open)]);
    await world.bed.database.query({
      text: `with ended as (update attention set ended_at = since, ended_by = 'ann')
             update payment_intents set must_query_provider = false`,
    });
    await world.reconcile([lineOf(open)]);
    expect([await mustQuery(open), await world.attentionOf(open)]).toEqual([true, null]);
  });

  it('is not marked if it is captured', async () => {
    const [missing, other] = [await world.payment('captured'), await world.payment('captured')];
    await world.reconcile([lineOf(other, { amount_usd_cents: 1 })]);
    expect([await mustQuery(missing), await mustQuery(other)]).toEqual([false, false]);
  });
});
