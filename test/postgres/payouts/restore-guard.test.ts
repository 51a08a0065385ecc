// The mark of a running worker in Postgres, which the worker compares and replaces over each new
// connection and once a second (decision 127). Lost answers and simultaneous looks are in
// worker-marks.test.ts, real servers that are put back or fail over in test/faults/restored.
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { openDatabase } from '../../../src/main/open-database';
import { until } from '../../../src/dev/until';
import type { Queryable } from '../../../src/postgres/database';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { createRestoreGuard } from '../../../src/postgres/payouts/restores';
import { INSTALLATION_KEY, KEY_ENCRYPTION_KEY } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { withBackups } from '../../support/database';
import { newGuard } from '../../support/payments/restore-watch';
import { SILENT } from '../../support/silent-log';
import { withDatabase } from '../../support/brackets';

const DAY_SECONDS = 86_400;
const ANN = { actor: 'ann', reason: 'reconciled', isAfterRestore: true };

const bed = withDatabase({ isPerTest: true });
const snapshot = withBackups(bed);
beforeEach(async () => {
  await tick(0);
  await tick(1);
});
const tick = (ticks: number) => bed.restoreWatch.tick({ ticks, atMs: null });
const stops = () => listPayoutStops(bed.database);
const inForce = async () => (await stops()).filter(({ ended_at: endedAt }) => endedAt === null);
const rowsOf = async () => {
  const text = 'select worker_id, mark from worker_marks';
  return (await bed.database.query<{ worker_id: string; mark: string }>({ text })).rows;
};
const STOPPED = [{ actor: 'system', kind: 'restore' }];

it('the guard stops payouts once if its mark was lost, and names both times', async () => {
  const guard = newGuard();
  await guard.check(bed.database);
  const backup = await snapshot();
  await bed.setNow(secondsAfter(NOON, 1));
  await guard.check(bed.database);
  await backup.restore();
  await guard.check(bed.database);
  await guard.check(bed.database);
  await expect(stops()).resolves.toMatchObject([
    {
      ...STOPPED[0],
      reason:
        'Postgres went back to about 2026-03-02T12:00:00Z; a worker remembers until 2026-03-02T12:00:01Z.',
    },
  ]);
});

it('the guard stops nothing if only commits after its last look were lost', async () => {
  const guard = newGuard();
  await guard.check(bed.database);
  const backup = await snapshot();
  await tick(2);
  await backup.restore();
  await guard.check(bed.database);
  await expect(stops()).resolves.toEqual([]);
});

it('the guard stops payouts if its row is missing, since it began after the backup', async () => {
  const backup = await snapshot();
  const guard = newGuard();
  await guard.check(bed.database);
  await backup.restore();
  await guard.check(bed.database);
  await expect(stops()).resolves.toMatchObject(STOPPED);
});

it('the guard notices a second restore, of the same backup or of a later one', async () => {
  const guard = newGuard();
  await guard.check(bed.database);
  const early = await snapshot();
  await guard.check(bed.database);
  const late = await snapshot();
  await guard.check(bed.database);
  for (const backup of [early, early, late]) {
    await backup.restore();
    // The backup has no stop, so each one is made anew.
    await expect(stops()).resolves.toEqual([]);
    await guard.check(bed.database);
    await expect(stops()).resolves.toMatchObject(STOPPED);
    await allowPayouts(bed.database, ANN);
    await guard.check(bed.database);
    await expect(inForce()).resolves.toEqual([]);
  }
});

it('each of two workers notices a restore, and neither replaces the mark of the other', async () => {
  const guards = [newGuard(), newGuard()];
  const lookAll = async () => {
    for (const guard of guards) await guard.check(bed.database);
  };
  await lookAll();
  await lookAll();
  await expect(stops()).resolves.toEqual([]);
  await expect(rowsOf()).resolves.toHaveLength(2);
  const backup = await snapshot();
  await lookAll();
  for (const guard of guards) {
    await backup.restore();
    await guard.check(bed.database);
    await expect(stops()).resolves.toMatchObject(STOPPED);
  }
});

it('all workers were restarted with Postgres: no guard notices the restore', async () => {
  await newGuard().check(bed.database);
  const backup = await snapshot();
  await newGuard().check(bed.database);
  await backup.restore();
  await newGuard().check(bed.database);
  await expect(stops()).resolves.toEqual([]);
});

describe('a worker that has not looked for a while', () => {
  it.each([
    ['an hour', 3_600],
    ['nearly a day', DAY_SECONDS - 1],
  ])('notices a loss after %s, and stops nothing without one', async (_long, seconds) => {
    const guard = newGuard();
    const backup = await snapshot();
    await guard.check(bed.database);
    await bed.setNow(secondsAfter(NOON, seconds));
    await newGuard().check(bed.database);
    await guard.check(bed.database);
    await expect(stops()).resolves.toEqual([]);
    await backup.restore();
    await bed.setNow(secondsAfter(NOON, seconds + 1));
    await guard.check(bed.database);
    await expect(stops()).resolves.toMatchObject(STOPPED);
  });

  it('stops nothing after more than a day, when another worker has deleted its row', async () => {
    const guard = newGuard();
    await guard.check(bed.database);
    const [before] = await rowsOf();
    await bed.setNow(secondsAfter(NOON, DAY_SECONDS + 1));
    await newGuard().check(bed.database);
    const rows = await rowsOf();
    expect(rows.map(({ worker_id: id }) => id)).not.toContain(before?.worker_id);
    expect(rows).toHaveLength(1);
    await guard.check(bed.database);
    await expect(stops()).resolves.toEqual([]);
    await expect(rowsOf()).resolves.toHaveLength(2);
  });
});

it('the guard stops payouts by age at the first look, and again while no tick comes', async () => {
  const guard = newGuard(900);
  await bed.setNow(secondsAfter(NOON, 901));
  await guard.check(bed.database);
  await expect(stops()).resolves.toMatchObject([{ kind: 'watch_gap', gap_since: NOON }]);
  await allowPayouts(bed.database, ANN);
  await guard.check(bed.database);
  await guard.check(bed.database);
  await expect(inForce()).resolves.toHaveLength(1);
});

it('the guard looks until it is stopped, and logs and counts each failed look', async () => {
  const warned: string[] = [];
  const log = { ...SILENT, warn: (_fields: object, message: string) => warned.push(message) };
  const guard = createRestoreGuard({ maxAgeSeconds: null, log });
  let [failed, looked] = [0, 0];
  const shaky: Queryable = {
    async query(statement) {
      looked += 1;
      if (looked < 3) throw new Error('away');
      return bed.database.query(statement);
    },
  };
  const stopping = new AbortController();
  const running = guard.run(shaky, stopping.signal, () => (failed += 1));
  await expect(until(() => looked > 5, { timeoutMs: 20_000 })).resolves.toBe(true);
  stopping.abort();
  await expect(running).resolves.toBeUndefined();
  expect([failed, warned]).toEqual([
    2,
    Array(2).fill('a restore of Postgres was not looked for; tried again'),
  ]);
});

it('a process stops payouts before its first statement to a restored database', async () => {
  await recordEnvironment(bed.database, 'sandbox');
  const backup = await snapshot();
  const guard = newGuard();
  const config = {
    ...{ SERVICE_ENV: 'sandbox', DATABASE_URL: bed.url, DATABASE_POOL_SIZE: 1 },
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    INSTALLATION_KEY: INSTALLATION_KEY.toString('base64'),
  };
  const first = await openDatabase(config, SILENT, guard.check);
  await first.database.close();
  await backup.restore();
  const { database } = await openDatabase(config, SILENT, guard.check);
  const { rows } = await database.query({ text: 'select kind from payout_stops' });
  expect(rows).toEqual([{ kind: 'restore' }]);
  await database.close();
});
