// The procedure "Temporal went back, or was lost" of docs/restore.md, with a real dev server whose
// files are restored while payments change: rows, keys and the provider decide, and no money moves
// twice.
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { refundIntent } from '../../../src/ops/intents/refund';
import { listPayoutStops } from '../../../src/postgres/payouts/stops';
import { registerNamespace } from '../../../src/temporal/namespace';
import { ensureRestoreWatch } from '../../../src/temporal/starts';
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
  openLiveSetup,
  allowPayoutsIn,
  repairerOf,
  statusOf,
  statusWhen,
  type LiveSetup,
} from '../live/setup';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 60_000 };
const NAMESPACE_TRIES = 60;
const ANN = { actor: 'ann', reason: 'restored' };
const CENTS = 1_250;
/** src/sandbox/scenarios.ts: pending for 30 s, then declined. */
const SLOWLY_DECLINED_CENTS = 40_009;

let temporal: OwnTemporal;
let live: LiveSetup;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  const workflowBundle = workflowsTickingEvery(10);
  live = await openLiveSetup({ address: temporal.address, workflowBundle });
  await ensureRestoreWatch(live.world.client);
  await untilTicks(1);
});
afterAll(async () => {
  await live.close();
  await temporal.close();
});

/** Stops the server, copies or replaces its files, and starts it again at the same address. */
async function restarted(change: () => Promise<void> | void): Promise<void> {
  await temporal.stop();
  await change();
  await temporal.start();
}

/** Whether the provider has accepted the payout. */
async function isWithProvider({ intentId }: PaymentIntent): Promise<boolean> {
  const { rows } = await live.world.bed.database.query({
    text: 'select from payouts where intent_id = $1 and accepted_at is not null',
    values: [intentId],
  });
  return rows.length > 0;
}

async function ticks(): Promise<number> {
  const { rows } = await live.world.bed.database.query<{ readonly ticks: number }>({
    text: 'select ticks from restore_watch',
  });
  return rows[0]?.ticks ?? 0;
}
const untilTicks = async (count: number) =>
  expect(await until(async () => (await ticks()) >= count, WAIT)).toBe(true);

async function stopsInForce(): Promise<readonly string[]> {
  const stops = await listPayoutStops(live.world.bed.database);
  return stops
    .filter(({ ended_at: endedAt }) => endedAt === null)
    .map(({ actor, kind, reason }) => `${actor}, ${kind}: ${reason}`);
}
/** Waits until payouts are stopped for that reason. */
const stopsOnce = (reason: RegExp) =>
  until(async () => (await stopsInForce()).some((stop) => reason.test(stop)), WAIT);
const allow = () => allowPayoutsIn(live.world);

function refunding(timeoutMs: number, { intentId }: PaymentIntent): Promise<unknown> {
  const { client, bed } = live.world;
  const tools = { client, database: bed.database, deadline: AbortSignal.timeout(timeoutMs) };
  return refundIntent(tools, { intentId, ...ANN });
}

it('a loss of less than a minute stops nothing, and later payments are paid once', async () => {
  const { payer, world } = live;
  const before = await payer.create();
  const begun = await payer.create();
  const hold = world.holds.hold(begun.intentId, 'order');
  const { confirming } = await payer.confirmUntil(hold, begun);
  await restarted(() => temporal.backUp());
  // One tick may be lost, but no second one.
  const watch = world.client.workflow.getHandle(RESTORE_WATCH_ID);
  await expect(until(() => isDone(watch.terminate()), WAIT)).resolves.toBe(true);
  hold.release();
  await confirming;
  await expect(statusWhen(live.world, begun, 'captured')).resolves.toBe('captured');
  await expect(confirmed(live, before)).resolves.toBe('200 captured');
  const since = await payer.create();
  await expect(confirmed(live, since)).resolves.toBe('200 captured');
  await world.withoutWorker(() => restarted(() => temporal.putBack()));
  await untilTicks((await ticks()) + 1);
  await expect(stopsInForce()).resolves.toEqual([]);
  for (const intent of [before, begun, since]) {
    await expect(truthOf(world, intent)).resolves.toMatchObject({
      ...{ status: 'captured', executed: [CENTS] },
    });
  }
});

describe('more than a minute lost', () => {
  let payments: Awaited<ReturnType<typeof paymentsSince>>;

  async function paymentsSince() {
    const { payer } = live;
    const captured = await payer.create();
    const cancelled = await payer.create();
    const refunded = await payer.create();
    await expect(confirmed(live, refunded)).resolves.toBe('200 captured');
    await restarted(() => temporal.backUp());
    await expect(confirmed(live, captured)).resolves.toBe('200 captured');
    expect(said(await payer.cancel(cancelled))).toBe('200 cancelled');
    const created = await payer.create();
    const authorized = await payer.create({ cents: SLOWLY_DECLINED_CENTS });
    await payer.confirm(authorized, undefined, {
      headers: { Prefer: 'respond-async' },
    });
    // Without a begun payout the stop would hold up the payment.
    await expect(until(() => isWithProvider(authorized), WAIT)).resolves.toBe(true);
    await expect(statusOf(live.world, authorized)).resolves.toBe('authorized');
    return { captured, cancelled, refunded, created, authorized };
  }

  /**
   * Restores Temporal after two ticks that it then does not know, and after a command that has not
   * reached its row.
   */
  async function goBack(): Promise<void> {
    const { bed } = live.world;
    const known = await ticks();
    await bed.restoreWatch.tick({ ticks: known, atMs: null });
    await bed.restoreWatch.tick({ ticks: known + 1, atMs: null });
    await expect(refunding(500, payments.refunded)).rejects.toThrow(/./);
    await restarted(() => temporal.putBack());
    await bed.payoutStops.stop({ ...ANN, kind: 'restore' });
  }

  beforeAll(async () => {
    payments = await paymentsSince();
    await live.world.withoutWorker(goBack);
  });

  it('stops payouts at the next tick, and names the side that went back', async () => {
    await expect(
      stopsOnce(/^system, temporal_restore: Temporal went back to about /),
    ).resolves.toBe(true);
  });

  it('changes no row', async () => {
    const { captured, cancelled, refunded, created } = payments;
    const all = [captured, cancelled, refunded, created];
    await expect(Promise.all(all.map((intent) => statusOf(live.world, intent)))).resolves.toEqual([
      'captured',
      'cancelled',
      'captured',
      'created',
    ]);
    expect(said(await live.payer.confirm(cancelled))).toBe('409');
  });

  it('authorized payments continue from their rows, and get the status of the provider', async () => {
    const { bed, client } = live.world;
    const workflow = client.workflow.getHandle(payments.authorized.intentId);
    await expect(workflow.describe()).rejects.toThrow(/not found/i);
    await bed.setNow(secondsAfter(NOON, 61));
    await repairerOf(live.world).poll();
    await expect(workflow.describe()).resolves.toMatchObject({ status: { name: 'RUNNING' } });
    await expect(statusWhen(live.world, payments.authorized, 'failed')).resolves.toBe('failed');
  });

  it('created payments are paid after their confirm once payouts are allowed', async () => {
    const confirming = live.payer.confirm(payments.created);
    await expect(statusWhen(live.world, payments.created, 'authorized')).resolves.toBe(
      'authorized',
    );
    await expect(truthOf(live.world, payments.created)).resolves.toMatchObject({ executed: [] });
    await allow();
    await confirming;
    await expect(statusWhen(live.world, payments.created, 'captured')).resolves.toBe('captured');
  });

  it('a command that had not reached its row is lost, and done when it is repeated', async () => {
    await refunding(WAIT.timeoutMs, payments.refunded);
    await expect(statusOf(live.world, payments.refunded)).resolves.toBe('refunded');
  });

  it('each payout was executed once, and no ledger check is violated', async () => {
    for (const intent of [payments.captured, payments.created, payments.refunded]) {
      await expect(truthOf(live.world, intent)).resolves.toMatchObject({ executed: [CENTS] });
    }
    await expect(ledgerViolations(live.world)).resolves.toEqual([]);
  });
});

it('a lost Temporal stops payouts within one tick, and payments continue from their rows once payouts are allowed', async () => {
  const { payer, world } = live;
  const before = await payer.create();
  await world.withoutWorker(async () => {
    await restarted(() => {
      temporal.lose();
    });
    const { namespace } = world.client.options;
    await registerNamespace(world.client, namespace, NAMESPACE_TRIES);
    await ensureRestoreWatch(world.client);
  });
  await expect(stopsOnce(/^system, temporal_restore: Temporal was lost, /)).resolves.toBe(true);
  const confirming = payer.confirm(before);
  await expect(statusWhen(live.world, before, 'authorized')).resolves.toBe('authorized');
  await allow();
  await confirming;
  await expect(statusWhen(live.world, before, 'captured')).resolves.toBe('captured');
  await expect(truthOf(world, before)).resolves.toMatchObject({ executed: [CENTS] });
});
