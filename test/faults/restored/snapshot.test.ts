// A snapshot of the disk of Postgres is put back, on the same timeline of its log: API, worker,
// Temporal and provider keep their state. After the crash the log grows past the position that it
// had before, so only the worker's random mark shows the loss (decision 127).
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { after, whichWentBack, type WatchState } from '../../../src/domain/restore';
import { migrate } from '../../../src/postgres/migrate';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { recogniseErrorsOfNode, TTL_SECONDS } from '../../support/builders';
import { NOON, runDatabaseClock, secondsAfter } from '../../support/clock';
import { newGuard } from '../../support/payments/restore-watch';
import {
  openPostgresServers,
  type PostgresServer,
  type PostgresServers,
} from '../../support/servers/postgres-servers';
import { said, truthOf } from '../live/payer';
import { confirmed, openLiveSetup, type LiveSetup } from '../live/setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 60_000 };
const CENTS = 1_250;
const ANN = { actor: 'ann', reason: 'reconciled', isAfterRestore: true };

let servers: PostgresServers;
let postgres: PostgresServer;
let live: LiveSetup;
let paid: readonly PaymentIntent[];
let guard = newGuard();
let known: WatchState = { ticks: 0, atMs: null };

beforeAll(async () => {
  servers = openPostgresServers();
  postgres = await servers.add();
  await postgres.start();
  await migrate(postgres.url);
  live = await openLiveSetup({
    on: { url: postgres.url, drop: () => servers.close() },
    look: (connection) => guard.check(connection),
  });
  const { payer } = live;
  paid = [await payer.create(), await payer.create(), await payer.create()];
  await tick();
  await look();
  await postgres.snapshot();
});
afterAll(() => live.close());

const look = () => guard.check(live.world.bed.database);
const stops = () => listPayoutStops(live.world.bed.database);
const log = async () => {
  const [row] = await postgres.query<{ readonly at: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as at`,
  );
  return row?.at ?? 0;
};

/** Ticks as the workflow of the watch does. @returns which side went back */
async function tick() {
  const seen = await live.world.bed.restoreWatch.tick(known);
  const side = whichWentBack(known, seen);
  known = after(known, seen, NOON.getTime());
  return side;
}

/** Resolves when the log is longer than before, and before a worker connects. */
async function putBack(): Promise<void> {
  const { proxy } = live.world;
  const before = await log();
  proxy.cut();
  await postgres.putBack();
  while ((await log()) <= before)
    await postgres.query(`select pg_logical_emit_message(true, 'test', repeat('x', 100000))`);
  proxy.mend();
}

/** No worker is killed by this; its memory is. */
function restartWorkers(): void {
  guard = newGuard();
}

it('with a running worker payouts are stopped, and no read says that a captured payment expired', async () => {
  const { payer, world } = live;
  for (const intent of paid) expect(await confirmed(live, intent)).toBe('200 captured');
  for (let created = 0; created < 20; created += 1) await payer.create();
  await look();
  await putBack();
  // The first statement of the worker.
  await until(async () => (await stops()).length > 0, WAIT);
  await expect(stops()).resolves.toMatchObject([{ actor: 'system', kind: 'restore' }]);
  await runDatabaseClock(world.bed.database, secondsAfter(NOON, TTL_SECONDS + 60));
  for (const intent of paid) {
    const { status, executed } = await truthOf(world, intent);
    expect([status, executed, said(await payer.read(intent))]).toEqual([
      'created',
      [CENTS],
      '200 created',
    ]);
  }
});

it('with a running worker a second restore of the same snapshot stops payouts again', async () => {
  await look();
  await allowPayouts(live.world.bed.database, ANN);
  await putBack();
  await look();
  await expect(stops()).resolves.toMatchObject([{ actor: 'system', kind: 'restore' }]);
});

it('a crash of Postgres that loses nothing stops nothing', async () => {
  await allowPayouts(live.world.bed.database, ANN);
  await look();
  await postgres.kill();
  await postgres.start();
  await look();
  const inForce = (await stops()).filter(({ ended_at: endedAt }) => endedAt === null);
  expect(inForce).toEqual([]);
});

it('with workers that were restarted too, only the loss of a tick is noticed, by the next tick', async () => {
  restartWorkers();
  await putBack();
  await look();
  await expect(stops()).resolves.toEqual([]);
  await expect(tick()).resolves.toBeNull();
  restartWorkers();
  await putBack();
  await look();
  await expect(stops()).resolves.toEqual([]);
  await expect(tick()).resolves.toBe('postgres');
});
