// A failover between two real Postgres servers, with and without lost commits (decision 127). A
// running worker compares its mark before its first statement; the watch compares
// Temporal's state at its next tick.
import type { IntentId } from '../../../src/domain/ids';
import { after, whichWentBack, type WatchState } from '../../../src/domain/restore';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import type { RestoreGuard } from '../../../src/postgres/payouts/restores';
import { anIntent, openTestBed, recogniseErrorsOfNode, type TestBed } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner } from '../../support/payments/partner';
import { newGuard } from '../../support/payments/restore-watch';
import {
  cutOff,
  promote,
  startPair,
  untilCaughtUp,
  type PostgresServer,
} from '../../support/servers/postgres-servers';
import { startCutProxy, type CutProxy } from '../cut-proxy';
import { beginAttempt, recordSent } from '../../support/payments/payouts';

recogniseErrorsOfNode();

const NOTHING: WatchState = { ticks: 0, atMs: null };

let primary: PostgresServer;
let standby: PostgresServer;
let proxy: CutProxy;
let guard: RestoreGuard;
let bed: TestBed;

beforeEach(async () => {
  const pair = await startPair();
  ({ primary, standby } = pair);
  proxy = await startCutProxy(primary.url);
  guard = newGuard();
  bed = await openTestBed({
    on: { url: proxy.url, drop: () => pair.close() },
    look: (connection) => guard.check(connection),
  });
});
afterEach(async () => {
  await bed.close();
  await proxy.close();
});

async function failOver(): Promise<void> {
  await primary.kill();
  await promote(standby);
  proxy.moveTo(standby.url);
}

/** The state in Temporal after the next tick. */
async function ticked(known: WatchState): Promise<WatchState> {
  return after(known, await bed.restoreWatch.tick(known), NOON.getTime());
}

async function debited(): Promise<IntentId> {
  const partner = await aPartner(bed);
  const { intentId, amountUsdCents } = await anIntent(bed, partner, { status: 'authorized' });
  await bed.funds.debit(intentId, amountUsdCents);
  return intentId;
}

const begin = (intentId: IntentId) => beginAttempt(bed, intentId);
const stops = () => listPayoutStops(bed.database);

it('payouts go on after a failover that lost nothing, and query the provider first', async () => {
  const [intentId, other] = [await debited(), await debited()];
  const known = await ticked(await ticked(NOTHING));
  await guard.check(bed.database);
  await untilCaughtUp(standby, primary);
  await failOver();
  await expect(recordSent(bed, intentId)).resolves.toBeUndefined();
  await expect(begin(intentId)).resolves.toMatchObject({
    kind: 'begun',
    record: { isQuiet: false },
  });
  const tick = await bed.restoreWatch.tick(known);
  expect(tick.isMarkGone).toBe(false);
  expect(whichWentBack(known, tick)).toBeNull();
  await expect(recordSent(bed, other)).resolves.toBeUndefined();
  await bed.setNow(secondsAfter(NOON, 6));
  await expect(begin(intentId)).resolves.toMatchObject({
    kind: 'begun',
    record: { isQuiet: true },
  });
  await expect(recordSent(bed, await debited())).resolves.toMatchObject({ qrPayload: null });
  await guard.check(bed.database);
  await expect(stops()).resolves.toEqual([]);
});

it('after a failover that lost commits no payout begins, even if the new timeline is longer', async () => {
  const intentId = await debited();
  const known = await ticked(NOTHING);
  await untilCaughtUp(standby, primary);
  await cutOff(standby);
  await bed.database.query({ text: 'create table lost ()' });
  await guard.check(bed.database);
  await failOver();
  // The next log segment begins 16 MB later.
  await standby.query('select pg_switch_wal()');
  await expect(begin(intentId)).resolves.toMatchObject({ kind: 'stopped' });
  await expect(stops()).resolves.toMatchObject([
    {
      actor: 'system',
      kind: 'restore',
      reason:
        'Postgres went back to about 2026-03-02T12:00:00Z; a worker remembers until 2026-03-02T12:00:00Z.',
    },
  ]);
  // No tick was lost, so the watch notices nothing. The worker does not stop payouts twice.
  expect(whichWentBack(known, await bed.restoreWatch.tick(known))).toBeNull();
  await guard.check(bed.database);
  await expect(stops()).resolves.toHaveLength(1);
});

it('the watch notices a failover that lost a tick, even when the tick counts agree again', async () => {
  await cutOff(standby);
  const known = await ticked(await ticked(NOTHING));
  await failOver();
  await standby.query('select pg_switch_wal()');
  expect(whichWentBack(known, await bed.restoreWatch.tick(known))).toBe('postgres');
  await bed.database.query({ text: 'update restore_watch set ticks = 2' });
  const tick = await bed.restoreWatch.tick(known);
  expect(tick).toMatchObject({ ticks: 3, isMarkGone: true });
  expect(whichWentBack(known, tick)).toBe('postgres');
});
