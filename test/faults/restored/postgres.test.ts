// docs/restore.md, "Postgres went back to a time T", gone through with payments that moved on since: the API, a real Temporal
// server and a provider that remembers. What was paid is paid once, and every row ends as its payment did.
import { NativeConnection } from '@temporalio/worker';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { after, whichWentBack, type WatchState } from '../../../src/domain/restore';
import { createOutbound } from '../../../src/http/outbound';
import { resolvePayout, resumePayment } from '../../../src/ops/intents/operator-actions';
import { refundIntent } from '../../../src/ops/intents/refund-intent';
import { refundWorkflowId } from '../../../workflows/messages/messages';
import { recogniseErrorsOfNode } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { backUp, createTestDatabase, type Backup, type TestDatabase } from '../../support/database';
import { temporalAddress } from '../../support/servers/temporal-address';
import { answers, startReceiver } from '../../support/webhooks/webhook-receiver';
import { createWebhookWorker } from '../../support/webhooks/webhook-live-world';
import { said, truthOf } from '../live/payer';
import {
  isDone,
  ledgerViolations,
  openLiveScene,
  allowPayoutsIn,
  reconcilerOf,
  statusOf,
  statusWhen,
  vanish,
  type LiveScene,
} from '../live/setup';

recogniseErrorsOfNode();

/** Temporal takes up to a minute to delete a run that has completed. */
const TEST_TIMEOUT_MS = 180_000;
const PATIENCE = { timeoutMs: 20_000 };
/** Nothing is given back before 6 s of a stop. */
const LONG_PATIENCE = { timeoutMs: 40_000 };
const ANN = { actor: 'ann', reason: 'restored' };
const CENTS = 1_250;
/** src/sandbox/scenarios.ts */
const DECLINED_CENTS = 40_001;

let database: TestDatabase;
let backup: Backup;
let scene: LiveScene;
let before: Payments;
let forgotten: PaymentIntent;
let paidBefore: readonly unknown[];
let remembered: WatchState = { ticks: 0, atMs: null };

beforeAll(async () => {
  database = await createTestDatabase();
  const receiver = await startReceiver(answers(200));
  scene = await openLiveScene({ on: database, webhookUrl: receiver.url });
  before = await paymentsBefore();
  await tick();
  backup = await backUp(database);
  await tick();
  await withWebhooks(() => goOn(before));
  receiver.close();
  forgotten = await scene.payer.create();
  await scene.payer.confirm(forgotten);
  paidBefore = await scene.world.executed();
  await scene.world.withoutWorker(putBack);
}, 90_000);
afterAll(async () => {
  await scene.close();
  await backup.drop();
}, 60_000);

/** Of the watch, with what Temporal remembers. */
async function tick() {
  const ticked = await scene.world.bed.restoreWatch.tick(remembered);
  const side = whichWentBack(remembered, ticked);
  remembered = after(remembered, ticked, NOON.getTime());
  return side;
}

type Payments = Awaited<ReturnType<typeof paymentsBefore>>;

/** As they are at T. */
async function paymentsBefore() {
  const { payer, world } = scene;
  const held = async (step: 'payOut' | 'order', cents = CENTS) => {
    const intent = await payer.create({ cents });
    const hold = world.holds.hold(intent.intentId, step);
    const confirming = payer.confirm(intent);
    await hold.begun;
    return { intent, hold, confirming };
  };
  const captured = await payer.create();
  await payer.confirm(captured);
  return {
    captured,
    created: await payer.create(),
    cancelled: await payer.create(),
    debited: await held('payOut'),
    declined: await held('payOut', DECLINED_CENTS),
    begun: await held('order'),
  };
}

/** What the restored Postgres does not know. */
async function goOn(payments: Payments): Promise<void> {
  const { created, cancelled, captured, debited, declined, begun } = payments;
  const { payer } = scene;
  for (const { hold } of [debited, declined, begun]) hold.letGo();
  const confirmed = [debited.confirming, begun.confirming, payer.confirm(created)];
  expect((await Promise.all(confirmed)).map(said)).toEqual(Array(3).fill('200 captured'));
  expect(said(await declined.confirming)).toBe('200 failed');
  expect(said(await payer.cancel(cancelled))).toBe('200 cancelled');
  await refundIntent(tools(), { ...captured, ...ANN });
  const ended = [created, cancelled, captured, debited.intent, declined.intent, begun.intent];
  await Promise.all(ended.map(({ intentId }) => resultOf(intentId)));
  await resultOf(refundWorkflowId(captured.intentId));
}

/** Every run ends, its webhook dealt with, before Postgres is put back. */
async function resultOf(workflowId: string): Promise<unknown> {
  return scene.world.client.workflow.getHandle(workflowId).result();
}

async function withWebhooks(work: () => Promise<void>): Promise<void> {
  const { bed, client } = scene.world;
  const outbound = createOutbound();
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const { namespace } = client.options;
  const worker = await createWebhookWorker(bed, outbound, { connection, namespace, slots: 4 });
  await worker.runUntil(work());
  await Promise.all([outbound.close(), connection.close()]);
}

async function putBack(): Promise<void> {
  await backup.restore();
  await scene.world.bed.payoutStops.stop({ ...ANN, kind: 'restore' });
}

function tools() {
  const { client, bed } = scene.world;
  return { client, database: bed.database, deadline: AbortSignal.timeout(PATIENCE.timeoutMs) };
}

const statusesOf = (...intents: readonly PaymentIntent[]) =>
  Promise.all(intents.map((intent) => statusOf(scene.world, intent)));
/** The runs that have ended are put away, all at once, so that others may begin. */
const putAway = (...intents: readonly PaymentIntent[]) =>
  Promise.all(intents.map(({ intentId }) => vanish(scene.world, intentId)));
const beginAnew = ({ intentId }: PaymentIntent) => resumePayment(tools(), intentId, true);

async function attentionOf({ intentId }: PaymentIntent): Promise<unknown> {
  const { rows } = await scene.world.bed.database.query({
    text: 'select attention_reason from payment_intents where intent_id = $1',
    values: [intentId],
  });
  return rows[0];
}

it('restored, Postgres is noticed to have gone back at the next tick, and is counted with from there', async () => {
  await expect(tick()).resolves.toBe('postgres');
  await expect(tick()).resolves.toBeNull();
});

it('restored, rows are as they were, and a payment made since is forgotten', async () => {
  const rows = [before.created, before.cancelled, before.debited.intent, before.begun.intent];
  await expect(statusesOf(...rows, before.captured)).resolves.toEqual([
    ...['created', 'created', 'authorized', 'authorized', 'captured'],
  ]);
  await expect(scene.world.bed.intents.find(forgotten.intentId)).resolves.toBeUndefined();
});

it('workers repair nothing whose run has completed, and ask for people', async () => {
  await scene.world.bed.setNow(secondsAfter(NOON, 60));
  await reconcilerOf(scene.world).poll();
  for (const { intent } of [before.debited, before.begun]) {
    await expect(attentionOf(intent)).resolves.toEqual({
      attention_reason:
        'The workflow has completed, but the row says authorized. Was a database restored?',
    });
  }
  await expect(scene.world.executed()).resolves.toEqual(paidBefore);
});

it(
  'what had been begun is asked about while payouts are stopped, and captured',
  async () => {
    const { begun, debited, declined, created, cancelled } = before;
    await putAway(begun.intent, debited.intent, declined.intent, created, cancelled);
    await beginAnew(begun.intent);
    await expect(attentionOf(before.begun.intent)).resolves.toEqual({ attention_reason: null });
    await expect(statusWhen(scene.world, before.begun.intent, 'captured')).resolves.toBe(
      'captured',
    );
  },
  TEST_TIMEOUT_MS,
);

it(
  'what has failed since, and has no payout any more, fails as its partner was told',
  async () => {
    const { intent } = before.declined;
    await beginAnew(intent);
    const evidence = 'a list of the provider';
    const resolution = { outcome: 'declined', actor: 'ann', evidence } as const;
    const isDeclared = () => isDone(resolvePayout(tools(), intent.intentId, resolution));
    await expect(until(isDeclared, LONG_PATIENCE)).resolves.toBe(true);
    await expect(statusOf(scene.world, intent)).resolves.toBe('failed');
  },
  TEST_TIMEOUT_MS,
);

it('nothing is cancelled while payouts are stopped, and the partner is asked to repeat', async () => {
  const late = await scene.payer.create();
  const { status } = await scene.payer.cancel(late);
  expect(status).toBe(503);
  await expect(statusOf(scene.world, late)).resolves.toBe('created');
});

it(
  'what had not been begun waits until payouts are allowed, and is not paid twice',
  async () => {
    await beginAnew(before.debited.intent);
    const confirming = scene.payer.confirm(before.created);
    await expect(statusWhen(scene.world, before.created, 'authorized')).resolves.toBe('authorized');
    await expect(scene.world.executed()).resolves.toEqual(paidBefore);
    await allowPayoutsIn(scene.world);
    await expect(statusWhen(scene.world, before.debited.intent, 'captured')).resolves.toBe(
      'captured',
    );
    await expect(statusWhen(scene.world, before.created, 'captured')).resolves.toBe('captured');
    expect((await confirming).status).toBe(200);
  },
  TEST_TIMEOUT_MS,
);

it(
  'what was cancelled since expires, and what was refunded is refunded once more',
  async () => {
    await scene.world.bed.setNow(secondsAfter(NOON, 1_900));
    await beginAnew(before.cancelled);
    await expect(statusWhen(scene.world, before.cancelled, 'expired')).resolves.toBe('expired');
    await refundIntent(tools(), { ...before.captured, ...ANN });
    await expect(statusOf(scene.world, before.captured)).resolves.toBe('refunded');
  },
  TEST_TIMEOUT_MS,
);

it('the provider has executed each once, and the ledger agrees with it', async () => {
  const paid = [before.captured, before.created, before.debited.intent, before.begun.intent];
  for (const intent of paid) {
    await expect(truthOf(scene.world, intent)).resolves.toMatchObject({ executed: [CENTS] });
  }
  await expect(scene.world.executed()).resolves.toEqual(paidBefore);
  await expect(ledgerViolations(scene.world)).resolves.toEqual([]);
});
