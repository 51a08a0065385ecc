// Postgres and Temporal put back together, so that nothing contradicts anything (docs/restore.md, "Both went back"): real servers over
// files, with workers that kept running and remember, and with workers that were started again and go by age.
import { migrate } from '../../../src/postgres/migrate';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { resolvePayout } from '../../../src/ops/intents/operator-actions';
import { createLogPositions } from '../../../src/postgres/payouts/log-position';
import { allowPayouts, listPayoutStops } from '../../../src/postgres/payouts/stops';
import { createRestoreGuard, type RestoreGuard } from '../../../src/postgres/payouts/restore-guard';
import { ensureRestoreWatch } from '../../../src/temporal/restore-watch-start';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { startOwnTemporal, type OwnTemporal } from '../../support/servers/own-temporal';
import {
  copyFiles,
  openPostgresServers,
  type PostgresServer,
  type PostgresServers,
} from '../../support/servers/postgres-servers';
import { SILENT } from '../../support/silent-log';
import { said, truthOf } from '../live/payer';
import {
  confirmed,
  isDone,
  ledgerViolations,
  openLiveScene,
  statusOf,
  type LiveScene,
} from '../live/setup';

recogniseErrorsOfNode();

const TEST_TIMEOUT_MS = 240_000;
const PATIENCE = { timeoutMs: 60_000 };
const MAX_AGE_SECONDS = 900;
const ANN = { actor: 'ann', reason: 'compared' };
const CENTS = 1_250;

let servers: PostgresServers;
let postgres: PostgresServer;
let temporal: OwnTemporal;
let scene: LiveScene;
let guard = newGuard();
let payments: Awaited<ReturnType<typeof paymentsBefore>>;

/** Of a worker that has just been started: it remembers nothing. */
function newGuard(): RestoreGuard {
  const positions = createLogPositions(SILENT);
  return createRestoreGuard({ positions, maxAgeSeconds: MAX_AGE_SECONDS, log: SILENT });
}

beforeAll(async () => {
  servers = openPostgresServers();
  [postgres, temporal] = await Promise.all([servers.add(), startOwnTemporal()]);
  await postgres.start();
  await migrate(postgres.url);
  scene = await openLiveScene({
    on: { url: postgres.url, drop: () => servers.close() },
    address: temporal.address,
    look: (connection) => guard.look(connection),
  });
  await ensureRestoreWatch(scene.world.client, 'of-tests');
  payments = await paymentsBefore();
  await whileBothAreDown(backUp);
  await goOn();
}, TEST_TIMEOUT_MS);
afterAll(async () => {
  await scene.close();
  await temporal.close();
}, TEST_TIMEOUT_MS);

/** As they are at T. */
async function paymentsBefore() {
  const { payer, world } = scene;
  const cancelled = await payer.create();
  const hold = world.holds.hold(cancelled.intentId, 'payOut');
  const confirming = payer.confirm(cancelled);
  // The local attempt is given up after five seconds. Then Temporal has the update and the payout activity.
  expect(await until(() => hold.times > 1, PATIENCE)).toBe(true);
  return { paid: await payer.create(), cancelled, hold, confirming };
}

/** What both databases do not know: one payment is paid, and one that was authorized has been cancelled. */
async function goOn(): Promise<void> {
  const { payer, world } = scene;
  const { paid, cancelled, hold, confirming } = payments;
  await world.bed.payoutStops.stop({ ...ANN, kind: 'operator' });
  hold.letGo();
  const isCancelled = async () => said(await payer.cancel(cancelled)) === '200 cancelled';
  expect(await until(isCancelled, PATIENCE)).toBe(true);
  await confirming;
  await allowPayouts(world.bed.database, { ...ANN, isAfterRestore: false });
  expect(await confirmed(scene, paid)).toBe('200 captured');
  await guard.look(world.bed.database);
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

const stops = () => listPayoutStops(scene.world.bed.database);
const executed = async (intent: PaymentIntent) => (await truthOf(scene.world, intent)).executed;

/** Both are put back; comes back when the workflow that was forgotten to be over has begun its payout step again. */
async function bothPutBack(thenAt?: Date, meanwhile = () => undefined): Promise<void> {
  const { proxy } = scene.world;
  const { times } = payments.hold;
  proxy.cut();
  await whileBothAreDown(async () => {
    meanwhile();
    await putBack();
  });
  if (thenAt !== undefined) await setClock(thenAt);
  proxy.mend();
  expect(await until(() => payments.hold.times > times, PATIENCE)).toBe(true);
}

/** Past the worker's connections, which are read before any other statement. */
async function setClock(instant: Date): Promise<void> {
  await postgres.query(`create or replace function service_now() returns timestamptz
                          language sql volatile return '${instant.toISOString()}'::timestamptz`);
}

describe('with workers that kept running', () => {
  beforeAll(() => bothPutBack(), TEST_TIMEOUT_MS);

  it(
    'payouts are stopped before one of them begins',
    async () => {
      await expect(stops()).resolves.toMatchObject([
        {
          kind: 'restore',
          reason: expect.stringMatching(
            /^Postgres went back to about .* a worker remembers until /,
          ) as string,
        },
      ]);
      const { paid, cancelled } = payments;
      await expect(statusOf(scene.world, paid)).resolves.toBe('created');
      await expect(statusOf(scene.world, cancelled)).resolves.toBe('authorized');
      await expect(executed(cancelled)).resolves.toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'what was cancelled since is declared declined, and never paid',
    async () => {
      const { client, bed } = scene.world;
      const declare = () => {
        const deadline = AbortSignal.timeout(PATIENCE.timeoutMs);
        const resolution = {
          outcome: 'declined',
          actor: 'ann',
          evidence: 'told cancelled',
        } as const;
        const tools = { client, database: bed.database, deadline };
        return isDone(resolvePayout(tools, payments.cancelled.intentId, resolution));
      };
      expect(await until(declare, PATIENCE)).toBe(true);
      await expect(statusOf(scene.world, payments.cancelled)).resolves.toBe('failed');
      await expect(executed(payments.cancelled)).resolves.toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'what was paid since is captured by its next confirm, and executed once',
    async () => {
      await allowPayouts(scene.world.bed.database, { ...ANN, isAfterRestore: true });
      expect(await confirmed(scene, payments.paid)).toBe('200 captured');
      await expect(executed(payments.paid)).resolves.toEqual([CENTS]);
      await expect(ledgerViolations(scene.world)).resolves.toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );
});

it(
  'with workers that were started again later than is allowed, payouts are stopped by age before one begins',
  async () => {
    await bothPutBack(secondsAfter(NOON, MAX_AGE_SECONDS + 60), () => {
      guard = newGuard();
      return undefined;
    });
    await until(async () => (await stops()).length > 0, PATIENCE);
    await expect(stops()).resolves.toMatchObject([{ actor: 'system', kind: 'watch_gap' }]);
    await expect(executed(payments.cancelled)).resolves.toEqual([]);
  },
  TEST_TIMEOUT_MS,
);
