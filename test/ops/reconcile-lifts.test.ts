// A clean `payctl reconcile` lifts a stop of payouts by age whose whole gap it covers, and no other stop (record 127).
import { listPayoutStops } from '../../src/postgres/payout-stops';
import {
  lineOf,
  minutes,
  openReconcileWorld,
  type ReconcileWorld,
  type StatedLine,
} from './reconcile-world';
import type { ReconcileWish } from '../../src/ops/reconcile/reconcile';

/** A gap in the middle of the period, which is from 0 to 120, its edges of 5 minutes not judged. */
const GAP_SINCE = 40;
const STOPPED_AT = 70;

let world: ReconcileWorld;
let line: StatedLine;
beforeEach(async () => {
  world = await openReconcileWorld();
  line = lineOf(await world.payment('captured'));
  await world.bed.setNow(minutes(STOPPED_AT));
  await world.bed.payoutStops.stop({
    ...{ actor: 'system', reason: 'not compared', kind: 'watch_gap' },
    gapSince: minutes(GAP_SINCE),
  });
});
afterEach(() => world.close());

const reconcile = (wish: Partial<ReconcileWish> = {}, lines = [line]) =>
  world.reconcile(lines, wish);
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

it.each<[string, Partial<ReconcileWish>]>([
  ['begins less than five minutes before the gap', { since: minutes(GAP_SINCE - 5) }],
  ['ends less than five minutes after the stop', { until: minutes(STOPPED_AT + 5) }],
  ['is of one corridor', { corridor: 'th_qrpay' }],
])('lifts nothing where the statement %s', async (_what, wish) => {
  const { isClean, lifted } = await reconcile(wish);
  expect([isClean, lifted]).toEqual([true, []]);
  await expect(inForce()).resolves.toEqual(['watch_gap']);
});

it('lifts no stop of the last five minutes, also where a line is dated in the future', async () => {
  const last = lineOf(await world.payment('captured', { at: 179 }), { at: 184 });
  await world.bed.setNow(minutes(176));
  await world.bed.payoutStops.stop({
    ...{ actor: 'system', reason: 'not compared again', kind: 'watch_gap' },
    gapSince: minutes(170),
  });
  const reconciled = await reconcile({ until: undefined }, [line, last]);
  expect(reconciled.judged?.until).toEqual(minutes(175));
  expect(reconciled.lifted).toMatchObject([{ at: minutes(STOPPED_AT) }]);
  await expect(inForce()).resolves.toEqual(['watch_gap']);
});

it('lifts nothing where the books differ', async () => {
  const unknown = lineOf('', { key: 'pi_7' });
  await expect(reconcile({}, [line, unknown])).resolves.toMatchObject({
    differences: 1,
    lifted: [],
  });
  await expect(inForce()).resolves.toEqual(['watch_gap']);
});

it('lifts no stop of operations, nor one for a restore', async () => {
  for (const kind of ['operator', 'restore'] as const) {
    await world.bed.payoutStops.stop({ actor: 'bob', reason: kind, kind });
  }
  await expect(reconcile()).resolves.toMatchObject({ lifted: [{ kind: 'watch_gap' }] });
  expect((await inForce()).toSorted()).toEqual(['operator', 'restore']);
});
