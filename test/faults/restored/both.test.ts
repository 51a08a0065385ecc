// Postgres and Temporal are restored together, so that they do not contradict each other
// (docs/restore.md, "Both went back"). Real servers over files; running workers notice it by their
// mark in Postgres, restarted workers by the age of the last tick.
import { migrate } from '../../../src/postgres/migrate';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { resolvePayout } from '../../../src/ops/intents/resolve';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { ensureRestoreWatch } from '../../../src/temporal/starts';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { newGuard } from '../../support/payments/restore-watch';
import { startOwnTemporal, type OwnTemporal } from '../../support/servers/own-temporal';
import {
  copyFiles,
  openPostgresServers,
  type PostgresServer,
  type PostgresServers,
} from '../../support/servers/postgres-servers';
import { said, truthOf } from '../live/payer';
import {
  confirmed,
  isDone,
  ledgerViolations,
  openLiveSetup,
  statusOf,
  type LiveSetup,
} from '../live/setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 60_000 };
const MAX_AGE_SECONDS = 900;
const ANN = { actor: 'ann', reason: 'reconciled' };
const CENTS = 1_250;

let servers: PostgresServers;
let postgres: PostgresServer;
let temporal: OwnTemporal;
let live: LiveSetup;
let guard = newGuard(MAX_AGE_SECONDS);
let payments: Awaited<ReturnType<typeof paymentsBefore>>;

beforeAll(async () => {
  servers = openPostgresServers();
  [postgres, temporal] = await Promise.all([servers.add(), startOwnTemporal()]);
  await postgres.start();
  await migrate(postgres.url);
  live = await openLiveSetup({
    on: { url: postgres.url, drop: () => servers.close() },
    address: temporal.address,
    look: (connection) => guard.check(connection),
  });
  await ensureRestoreWatch(live.world.client);
  payments = await paymentsBefore();
  await whileBothAreDown(backUp);
  await goOn();
});
afterAll(async () => {
  await live.close();
  await temporal.close();
});

/** The payments at the time of the backup. */
async function paymentsBefore() {
  const { payer, world } = live;
  const cancelled = await payer.create();
  const hold = world.holds.hold(cancelled.intentId, 'payOut');
  const confirming = payer.confirm(cancelled);
  // The local attempt times out after five seconds. Then Temporal has the update and the payout
  // activity.
  expect(await until(() => hold.times > 1, WAIT)).toBe(true);
  return { paid: await payer.create(), cancelled, hold, confirming };
}

/** Changes after the backup: one payment is paid, and an authorized one is cancelled. */
async function goOn(): Promise<void> {
  const { payer, world } = live;
  const { paid, cancelled, hold, confirming } = payments;
  await world.bed.payoutStops.stop({ ...ANN, kind: 'operator' });
  hold.release();
  const isCancelled = async () => said(await payer.cancel(cancelled)) === '200 cancelled';
  expect(await until(isCancelled, WAIT)).toBe(true);
  await confirming;
  await allowPayouts(world.bed.database, { ...ANN, isAfterRestore: false });
  expect(await confirmed(live, paid)).toBe('200 captured');
  await guard.check(world.bed.database);
}

async function whileBothAreDown(change: () => Promise<void>): Promise<void> {
  await Promise.all([postgres.stop(), temporal.stop()]);
  await change();
  await Promise.all([postgres.start(), temporal.start()]);
}
const copyOfPostgres = () => `${postgres.dataDir}-copy`;
async function backUp(): Promise<void> {
  await copyFiles(postgres.dataDir, copyOfPostgres());
  await temporal.backUp();
}
async function putBack(): Promise<void> {
  await copyFiles(copyOfPostgres(), postgres.dataDir);
  await temporal.putBack();
}

const stops = () => listPayoutStops(live.world.bed.database);
const executed = async (intent: PaymentIntent) => (await truthOf(live.world, intent)).executed;

/**
 * Restores both. Resolves when the workflow, whose end was lost, has begun its payout step again.
 */
async function bothPutBack(thenAt?: Date, meanwhile = () => undefined): Promise<void> {
  const { proxy } = live.world;
  const { times } = payments.hold;
  proxy.cut();
  await whileBothAreDown(async () => {
    meanwhile();
    await putBack();
  });
  if (thenAt !== undefined) await setClock(thenAt);
  proxy.mend();
  expect(await until(() => payments.hold.times > times, WAIT)).toBe(true);
}

/** Does not use the worker's connections, on which the guard would run first. */
async function setClock(instant: Date): Promise<void> {
  await postgres.query(`create or replace function service_now() returns timestamptz
                          language sql volatile return '${instant.toISOString()}'::timestamptz`);
}

describe('with running workers', () => {
  beforeAll(() => bothPutBack());

  it('payouts are stopped before one begins', async () => {
    await expect(stops()).resolves.toMatchObject([
      {
        kind: 'restore',
        reason: expect.stringMatching(
          /^Postgres went back to about .* a worker remembers until /,
        ) as string,
      },
    ]);
    const { paid, cancelled } = payments;
    await expect(statusOf(live.world, paid)).resolves.toBe('created');
    await expect(statusOf(live.world, cancelled)).resolves.toBe('authorized');
    await expect(executed(cancelled)).resolves.toEqual([]);
  });

  it('a payment that was cancelled after the backup is resolved as declined, and never paid', async () => {
    const { client, bed } = live.world;
    const isResolved = () => {
      const deadline = AbortSignal.timeout(WAIT.timeoutMs);
      const resolution = {
        outcome: 'declined',
        actor: 'ann',
        evidence: 'the partner was answered cancelled',
      } as const;
      const tools = { client, database: bed.database, deadline };
      return isDone(resolvePayout(tools, payments.cancelled.intentId, resolution));
    };
    expect(await until(isResolved, WAIT)).toBe(true);
    await expect(statusOf(live.world, payments.cancelled)).resolves.toBe('failed');
    await expect(executed(payments.cancelled)).resolves.toEqual([]);
  });

  it('a payment that was paid after the backup is captured by its next confirm, and executed once', async () => {
    await allowPayouts(live.world.bed.database, { ...ANN, isAfterRestore: true });
    expect(await confirmed(live, payments.paid)).toBe('200 captured');
    await expect(executed(payments.paid)).resolves.toEqual([CENTS]);
    await expect(ledgerViolations(live.world)).resolves.toEqual([]);
  });
});

it('with workers that were restarted after the maximum age, payouts are stopped before one begins', async () => {
  await bothPutBack(secondsAfter(NOON, MAX_AGE_SECONDS + 60), () => {
    guard = newGuard(MAX_AGE_SECONDS);
    return undefined;
  });
  await until(async () => (await stops()).length > 0, WAIT);
  await expect(stops()).resolves.toMatchObject([{ actor: 'system', kind: 'watch_gap' }]);
  await expect(executed(payments.cancelled)).resolves.toEqual([]);
});
