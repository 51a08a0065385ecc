// The state of Postgres that a running worker caches and compares over each new connection and once
// a second (decision 127). Tests with restored logs are in test/faults/restored:
// failed-over-postgres, both.
import { recordEnvironment } from '../../../src/postgres/service-environment';
import { openDatabase } from '../../../src/main/open-database';
import { until } from '../../../src/dev/until';
import type { LogPosition } from '../../../src/domain/log-position';
import type { LogPositions } from '../../../src/postgres/payouts/log-position';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { createRestoreGuard } from '../../../src/postgres/payouts/restore-guard';
import { KEY_ENCRYPTION_KEY } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { SILENT } from '../../support/silent-log';
import { withDatabase } from '../../support/brackets';

const POSITION: LogPosition = {
  ...{ cluster: '7', timeline: 1, lsn: '0/5000000', branchedAt: null, ancestors: [] },
};

const bed = withDatabase({ isPerTest: true });
beforeEach(async () => {
  await tick(0);
  await tick(1);
});

const tick = (ticks: number) => bed.restoreWatch.tick({ ticks, atMs: null });
const stops = () => listPayoutStops(bed.database);
const guardOver = (positions: LogPositions, maxAgeSeconds: number | null = null) =>
  createRestoreGuard({ positions, maxAgeSeconds, log: SILENT });
const unread: LogPositions = { read: () => Promise.resolve(null) };
const loseTick = () => bed.database.query({ text: 'update restore_watch set ticks = ticks - 1' });

it('the guard stops payouts once if ticks were lost, even if the log may not be read', async () => {
  const guard = guardOver(unread);
  await bed.setNow(secondsAfter(NOON, 1));
  await guard.check(bed.database);
  await loseTick();
  await guard.check(bed.database);
  await guard.check(bed.database);
  await expect(stops()).resolves.toMatchObject([
    {
      actor: 'system',
      kind: 'restore',
      reason:
        'Postgres went back to about 2026-03-02T12:00:00Z; a worker remembers until 2026-03-02T12:00:01Z.',
    },
  ]);
});

it('the guard stops payouts if the log is shorter, also after an unreadable position', async () => {
  const seen = [POSITION, null, { ...POSITION, lsn: '0/4000000' }];
  const guard = guardOver({ read: () => Promise.resolve(seen.shift() ?? null) });
  await guard.check(bed.database);
  await guard.check(bed.database);
  await expect(stops()).resolves.toEqual([]);
  await guard.check(bed.database);
  await expect(stops()).resolves.toMatchObject([{ kind: 'restore' }]);
});

it('the guard stops nothing at the first read, nor for an overtaken read', async () => {
  const first = { ...POSITION, lsn: '0/6000000' };
  const answers: ((position: LogPosition) => void)[] = [];
  const guard = guardOver({ read: () => new Promise((resolve) => answers.push(resolve)) });
  const looks = [guard.check(bed.database), guard.check(bed.database)];
  answers[1]?.(first);
  await looks[1];
  answers[0]?.(POSITION);
  await looks[0];
  await tick(2);
  const later = guard.check(bed.database);
  answers[2]?.({ ...first, lsn: '0/7000000' });
  await later;
  await expect(stops()).resolves.toEqual([]);
});

it('the guard stops payouts by age at the first read, and again while no tick comes', async () => {
  const guard = guardOver(unread, 900);
  await bed.setNow(secondsAfter(NOON, 901));
  await guard.check(bed.database);
  await expect(stops()).resolves.toMatchObject([{ kind: 'watch_gap', gap_since: NOON }]);
  await allowPayouts(bed.database, { actor: 'ann', reason: 'too early', isAfterRestore: true });
  await guard.check(bed.database);
  await guard.check(bed.database);
  const inForce = (await stops()).filter(({ ended_at: endedAt }) => endedAt === null);
  expect(inForce).toHaveLength(1);
});

it('the guard reads repeatedly until it is stopped, also after failed reads', async () => {
  let reads = 0;
  const read = () => {
    reads += 1;
    return reads < 3 ? Promise.reject(new Error('away')) : Promise.resolve(POSITION);
  };
  const stopping = new AbortController();
  const running = guardOver({ read }).run(bed.database, stopping.signal);
  await expect(until(() => reads > 3, { timeoutMs: 20_000 })).resolves.toBe(true);
  stopping.abort();
  await expect(running).resolves.toBeUndefined();
});

it('a process stops payouts before its first statement to a restored database', async () => {
  await recordEnvironment(bed.database, 'sandbox');
  const guard = guardOver(unread);
  const config = {
    ...{ SERVICE_ENV: 'sandbox', DATABASE_URL: bed.url, DATABASE_POOL_SIZE: 1 },
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
  };
  const first = await openDatabase(config, SILENT, guard.check);
  await first.database.close();
  await loseTick();
  const { database } = await openDatabase(config, SILENT, guard.check);
  const { rows } = await database.query({ text: 'select kind from payout_stops' });
  expect(rows).toEqual([{ kind: 'restore' }]);
  await database.close();
});
