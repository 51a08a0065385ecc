// docs/restore.md, "Temporal went back, or was lost", with a real dev server whose files are put back while payments move on: rows, keys
// and the provider decide, and no money moves twice.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { refundIntent } from '../../../src/ops/intents/refund-intent';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { registerNamespace } from '../../../src/temporal/namespace';
import { ensureRestoreWatch } from '../../../src/temporal/restore-watch-start';
import { RESTORE_WATCH_ID } from '../../../workflows/messages/messages';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { startOwnTemporal, type OwnTemporal } from '../../support/servers/own-temporal';
import { workflowsTickingEvery } from '../../support/programs/workflow-bundle';
import { said, truthOf } from '../live/payer';
import {
  confirmed,
  isDone,
  ledgerViolations,
  openLiveScene,
  allowPayoutsIn,
  reconcilerOf,
  statusOf,
  statusWhen,
  type LiveScene,
} from '../live/setup';

recogniseErrorsOfNode();

const TEST_TIMEOUT_MS = 180_000;
const PATIENCE = { timeoutMs: 60_000 };
const NAMESPACE_TRIES = 60;
const ANN = { actor: 'ann', reason: 'restored' };
const CENTS = 1_250;
/** src/sandbox/scenarios.ts: pending for 30 s, then declined. */
const SLOWLY_DECLINED_CENTS = 40_009;

let temporal: OwnTemporal;
let scene: LiveScene;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  const workflowBundle = workflowsTickingEvery('10 s');
  scene = await openLiveScene({ address: temporal.address, workflowBundle });
  await ensureRestoreWatch(scene.world.client, 'of-tests');
  await untilTicks(1);
}, TEST_TIMEOUT_MS);
afterAll(async () => {
  await scene.close();
  await temporal.close();
}, TEST_TIMEOUT_MS);

/** The server is stopped, its files are copied or replaced, and it is started again where it was. */
async function restarted(change: () => Promise<void> | void): Promise<void> {
  await temporal.stop();
  await change();
  await temporal.start();
}

/** Whether the provider has said that it has the payout. */
async function isWithProvider({ intentId }: PaymentIntent): Promise<boolean> {
  const { rows } = await scene.world.bed.database.query({
    text: 'select from payouts where intent_id = $1 and accepted_at is not null',
    values: [intentId],
  });
  return rows.length > 0;
}

async function ticks(): Promise<number> {
  const { rows } = await scene.world.bed.database.query<{ readonly ticks: number }>({
    text: 'select ticks from restore_watch',
  });
  return rows[0]?.ticks ?? 0;
}
const untilTicks = async (count: number) =>
  expect(await until(async () => (await ticks()) >= count, PATIENCE)).toBe(true);

async function stopsInForce(): Promise<readonly string[]> {
  const stops = await listPayoutStops(scene.world.bed.database);
  return stops
    .filter(({ ended_at: endedAt }) => endedAt === null)
    .map(({ actor, kind, reason }) => `${actor}, ${kind}: ${reason}`);
}
/** Whether payouts are stopped for that reason in the end. */
const stopsOnce = (reason: RegExp) =>
  until(async () => (await stopsInForce()).some((stop) => reason.test(stop)), PATIENCE);
const allow = () => allowPayoutsIn(scene.world);

function refunding(timeoutMs: number, { intentId }: PaymentIntent): Promise<unknown> {
  const { client, bed } = scene.world;
  const tools = { client, database: bed.database, deadline: AbortSignal.timeout(timeoutMs) };
  return refundIntent(tools, { intentId, ...ANN });
}

it(
  'less than a minute lost: nothing is stopped, and what was paid since is paid once',
  async () => {
    const { payer, world } = scene;
    const before = await payer.create();
    const begun = await payer.create();
    const hold = world.holds.hold(begun.intentId, 'order');
    const confirming = payer.confirm(begun);
    await hold.begun;
    await restarted(() => temporal.backUp());
    // The tick that was due by now may be lost, and no second one.
    const watch = world.client.workflow.getHandle(RESTORE_WATCH_ID);
    await expect(until(() => isDone(watch.terminate()), PATIENCE)).resolves.toBe(true);
    hold.letGo();
    await confirming;
    await expect(statusWhen(scene.world, begun, 'captured')).resolves.toBe('captured');
    await expect(confirmed(scene, before)).resolves.toBe('200 captured');
    const since = await payer.create();
    await expect(confirmed(scene, since)).resolves.toBe('200 captured');
    await world.withoutWorker(() => restarted(() => temporal.putBack()));
    await untilTicks((await ticks()) + 1);
    await expect(stopsInForce()).resolves.toEqual([]);
    for (const intent of [before, begun, since]) {
      await expect(truthOf(world, intent)).resolves.toMatchObject({
        ...{ status: 'captured', executed: [CENTS] },
      });
    }
  },
  TEST_TIMEOUT_MS,
);

describe('more than a minute lost', () => {
  let payments: Awaited<ReturnType<typeof paymentsSince>>;

  async function paymentsSince() {
    const { payer } = scene;
    const captured = await payer.create();
    const cancelled = await payer.create();
    const refunded = await payer.create();
    await expect(confirmed(scene, refunded)).resolves.toBe('200 captured');
    await restarted(() => temporal.backUp());
    await expect(confirmed(scene, captured)).resolves.toBe('200 captured');
    expect(said(await payer.cancel(cancelled))).toBe('200 cancelled');
    const created = await payer.create();
    const authorized = await payer.create({ cents: SLOWLY_DECLINED_CENTS });
    await payer.confirm(authorized, undefined, { Prefer: 'respond-async' });
    // A payout that was not begun would be held by the stop.
    await expect(until(() => isWithProvider(authorized), PATIENCE)).resolves.toBe(true);
    await expect(statusOf(scene.world, authorized)).resolves.toBe('authorized');
    return { captured, cancelled, refunded, created, authorized };
  }

  /** Two ticks of which Temporal knows nothing any more, a command that has not reached its row, and the restore. */
  async function goBack(): Promise<void> {
    const { bed } = scene.world;
    const known = await ticks();
    await bed.restoreWatch.tick({ ticks: known, atMs: null });
    await bed.restoreWatch.tick({ ticks: known + 1, atMs: null });
    await expect(refunding(500, payments.refunded)).rejects.toThrow(/./);
    await restarted(() => temporal.putBack());
    await bed.payoutStops.stop({ ...ANN, kind: 'restore' });
  }

  beforeAll(async () => {
    payments = await paymentsSince();
    await scene.world.withoutWorker(goBack);
  }, TEST_TIMEOUT_MS);

  it(
    'stops payouts at the next tick, and says which side went back',
    async () => {
      await expect(
        stopsOnce(/^system, temporal_restore: Temporal went back to about /),
      ).resolves.toBe(true);
    },
    TEST_TIMEOUT_MS,
  );

  it('changes no row', async () => {
    const { captured, cancelled, refunded, created } = payments;
    const all = [captured, cancelled, refunded, created];
    await expect(Promise.all(all.map((intent) => statusOf(scene.world, intent)))).resolves.toEqual([
      'captured',
      'cancelled',
      'captured',
      'created',
    ]);
    expect(said(await scene.payer.confirm(cancelled))).toBe('409');
  });

  it(
    'authorized payments are taken up from their rows, and end as the provider says',
    async () => {
      const { bed, client } = scene.world;
      const workflow = client.workflow.getHandle(payments.authorized.intentId);
      await expect(workflow.describe()).rejects.toThrow(/not found/i);
      await bed.setNow(secondsAfter(NOON, 61));
      await reconcilerOf(scene.world).poll();
      await expect(workflow.describe()).resolves.toMatchObject({ status: { name: 'RUNNING' } });
      await expect(statusWhen(scene.world, payments.authorized, 'failed')).resolves.toBe('failed');
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'created ones are paid at their confirm once payouts are allowed',
    async () => {
      const confirming = scene.payer.confirm(payments.created);
      await expect(statusWhen(scene.world, payments.created, 'authorized')).resolves.toBe(
        'authorized',
      );
      await expect(truthOf(scene.world, payments.created)).resolves.toMatchObject({ executed: [] });
      await allow();
      await confirming;
      await expect(statusWhen(scene.world, payments.created, 'captured')).resolves.toBe('captured');
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'a command that had not reached its row is forgotten, and done when it is repeated',
    async () => {
      await refunding(PATIENCE.timeoutMs, payments.refunded);
      await expect(statusOf(scene.world, payments.refunded)).resolves.toBe('refunded');
    },
    TEST_TIMEOUT_MS,
  );

  it('each was executed once, and the ledger agrees', async () => {
    for (const intent of [payments.captured, payments.created, payments.refunded]) {
      await expect(truthOf(scene.world, intent)).resolves.toMatchObject({ executed: [CENTS] });
    }
    await expect(ledgerViolations(scene.world)).resolves.toEqual([]);
  });
});

it(
  'lost as a whole: payouts are stopped within one tick, and payments go on from their rows once they are allowed',
  async () => {
    const { payer, world } = scene;
    const before = await payer.create();
    await world.withoutWorker(async () => {
      await restarted(() => {
        temporal.lose();
      });
      const { namespace } = world.client.options;
      await registerNamespace(world.client, namespace, NAMESPACE_TRIES);
      await ensureRestoreWatch(world.client, 'of-tests');
    });
    await expect(stopsOnce(/^system, temporal_restore: Temporal was lost, /)).resolves.toBe(true);
    const confirming = payer.confirm(before);
    await expect(statusWhen(scene.world, before, 'authorized')).resolves.toBe('authorized');
    await allow();
    await confirming;
    await expect(statusWhen(scene.world, before, 'captured')).resolves.toBe('captured');
    await expect(truthOf(world, before)).resolves.toMatchObject({ executed: [CENTS] });
  },
  TEST_TIMEOUT_MS,
);
