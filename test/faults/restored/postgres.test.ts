// The procedure "Postgres went back to a time T" of docs/restore.md, with payments that changed
// after the backup: the API, a real Temporal server and the provider keep their state. Each payment
// is paid once, and every row gets its right status.
import { NativeConnection } from '@temporalio/worker';
import { until } from '../../../src/dev/until';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { after, whichWentBack, type WatchState } from '../../../src/domain/restore';
import { createOutbound } from '../../../src/http/outbound';
import { resolvePayout } from '../../../src/ops/intents/resolve';
import { resumePayment } from '../../../src/ops/intents/resume';
import { refundIntent } from '../../../src/ops/intents/refund';
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
  openLiveSetup,
  allowPayoutsIn,
  repairerOf,
  statusOf,
  statusWhen,
  vanish,
  type LiveSetup,
} from '../live/setup';
import { OPEN_SENTENCES } from '../../support/payments/attention';
import { workflowGone } from '../../../src/domain/intents/attention';

recogniseErrorsOfNode();

const WAIT = { timeoutMs: 20_000 };
/** A debit is given back only after 6 s of a stop. */
const LONG_WAIT = { timeoutMs: 40_000 };
const ANN = { actor: 'ann', reason: 'restored' };
const CENTS = 1_250;
/** src/sandbox/scenarios.ts */
const DECLINED_CENTS = 40_001;

let database: TestDatabase;
let backup: Backup;
let live: LiveSetup;
let before: Payments;
let forgotten: PaymentIntent;
let paidBefore: readonly unknown[];
let remembered: WatchState = { ticks: 0, atMs: null };

beforeAll(async () => {
  database = await createTestDatabase();
  const receiver = await startReceiver(answers(200));
  live = await openLiveSetup({ on: database, webhookUrl: receiver.url });
  before = await paymentsBefore();
  await tick();
  backup = await backUp(database);
  await tick();
  await withWebhooks(() => goOn(before));
  receiver.close();
  forgotten = await live.payer.create();
  await live.payer.confirmUntilAnswered(forgotten);
  paidBefore = await live.world.executed();
  await live.world.withoutWorker(putBack);
});
afterAll(async () => {
  await live.close();
  await backup.drop();
});

/** One tick of the watch, with its state in Temporal. */
async function tick() {
  const ticked = await live.world.bed.restoreWatch.tick(remembered);
  const side = whichWentBack(remembered, ticked);
  remembered = after(remembered, ticked, NOON.getTime());
  return side;
}

type Payments = Awaited<ReturnType<typeof paymentsBefore>>;

/** The payments at the time of the backup. */
async function paymentsBefore() {
  const { payer, world } = live;
  const held = async (step: 'payOut' | 'order', cents = CENTS) => {
    const intent = await payer.create({ cents });
    const hold = world.holds.hold(intent.intentId, step);
    const { confirming } = await payer.confirmUntil(hold, intent);
    return { intent, hold, confirming };
  };
  const captured = await payer.create();
  await payer.confirmUntilAnswered(captured);
  return {
    captured,
    created: await payer.create(),
    cancelled: await payer.create(),
    debited: await held('payOut'),
    declined: await held('payOut', DECLINED_CENTS),
    begun: await held('order'),
  };
}

/** Changes after the backup, which the restored Postgres does not contain. */
async function goOn(payments: Payments): Promise<void> {
  const { created, cancelled, captured, debited, declined, begun } = payments;
  const { payer } = live;
  for (const { hold } of [debited, declined, begun]) hold.release();
  const confirmed = [debited.confirming, begun.confirming, payer.confirm(created)];
  expect((await Promise.all(confirmed)).map(said)).toEqual(Array(3).fill('200 captured'));
  expect(said(await declined.confirming)).toBe('200 failed');
  expect(said(await payer.cancel(cancelled))).toBe('200 cancelled');
  await refundIntent(tools(), { ...captured, ...ANN });
  const ended = [created, cancelled, captured, debited.intent, declined.intent, begun.intent];
  await Promise.all(ended.map(({ intentId }) => resultOf(intentId)));
  await resultOf(refundWorkflowId(captured.intentId));
}

/**
 * Waits for the end of the workflow, including its webhook, so that none runs during the restore.
 */
async function resultOf(workflowId: string): Promise<unknown> {
  return live.world.client.workflow.getHandle(workflowId).result();
}

async function withWebhooks(work: () => Promise<void>): Promise<void> {
  const { bed, client } = live.world;
  const outbound = createOutbound();
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const { namespace } = client.options;
  const worker = await createWebhookWorker(bed, outbound, { connection, namespace, slots: 4 });
  await worker.runUntil(work());
  await Promise.all([outbound.close(), connection.close()]);
}

async function putBack(): Promise<void> {
  await backup.restore();
  await live.world.bed.payoutStops.stop({ ...ANN, kind: 'restore' });
}

function tools() {
  const { client, bed } = live.world;
  return { client, database: bed.database, deadline: AbortSignal.timeout(WAIT.timeoutMs) };
}

const statusesOf = (...intents: readonly PaymentIntent[]) =>
  Promise.all(intents.map((intent) => statusOf(live.world, intent)));
/** Deletes completed workflows, so that new ones can start. */
const deleteWorkflows = (...intents: readonly PaymentIntent[]) =>
  Promise.all(intents.map(({ intentId }) => vanish(live.world, intentId)));
const startAgain = ({ intentId }: PaymentIntent) => resumePayment(tools(), intentId, true);

async function attentionOf({ intentId }: PaymentIntent): Promise<unknown> {
  const { rows } = await live.world.bed.database.query({
    text: `select ${OPEN_SENTENCES} as attention from payment_intents i where intent_id = $1`,
    values: [intentId],
  });
  return rows[0];
}

it('the next tick notices the restore, and later ticks count from there', async () => {
  await expect(tick()).resolves.toBe('postgres');
  await expect(tick()).resolves.toBeNull();
});

it('rows have their old state, and a payment that was created after the backup is missing', async () => {
  const rows = [before.created, before.cancelled, before.debited.intent, before.begun.intent];
  await expect(statusesOf(...rows, before.captured)).resolves.toEqual([
    ...['created', 'created', 'authorized', 'authorized', 'captured'],
  ]);
  await expect(live.world.bed.intents.find(forgotten.intentId)).resolves.toBeUndefined();
});

it('workers do not repair a payment whose workflow has completed, and raise attention', async () => {
  await live.world.bed.setNow(secondsAfter(NOON, 60));
  await repairerOf(live.world).poll();
  for (const { intent } of [before.debited, before.begun]) {
    await expect(attentionOf(intent)).resolves.toEqual({
      attention: workflowGone('authorized').sentence,
    });
  }
  await expect(live.world.executed()).resolves.toEqual(paidBefore);
});

it('a payout that had begun is queried while payouts are stopped, and captured', async () => {
  const { begun, debited, declined, created, cancelled } = before;
  await deleteWorkflows(begun.intent, debited.intent, declined.intent, created, cancelled);
  await startAgain(begun.intent);
  await expect(attentionOf(before.begun.intent)).resolves.toEqual({ attention: null });
  await expect(statusWhen(live.world, before.begun.intent, 'captured')).resolves.toBe('captured');
});

it('a payment that failed after the backup fails again, as its partner was notified', async () => {
  const { intent } = before.declined;
  await startAgain(intent);
  const evidence = 'a list of the provider';
  const resolution = { outcome: 'declined', actor: 'ann', evidence } as const;
  const isResolved = () => isDone(resolvePayout(tools(), intent.intentId, resolution));
  await expect(until(isResolved, LONG_WAIT)).resolves.toBe(true);
  await expect(statusOf(live.world, intent)).resolves.toBe('failed');
});

it('a cancel while payouts are stopped changes nothing and is answered 503', async () => {
  const late = await live.payer.create();
  const { status } = await live.payer.cancel(late);
  expect(status).toBe(503);
  await expect(statusOf(live.world, late)).resolves.toBe('created');
});

it('a payout that had not begun waits until payouts are allowed, and is not paid twice', async () => {
  await startAgain(before.debited.intent);
  // A worker may have found its completed workflow, where the backup had not marked it as started.
  await startAgain(before.created);
  const confirming = live.payer.confirm(before.created);
  await expect(statusWhen(live.world, before.created, 'authorized')).resolves.toBe('authorized');
  await expect(live.world.executed()).resolves.toEqual(paidBefore);
  await allowPayoutsIn(live.world);
  await expect(statusWhen(live.world, before.debited.intent, 'captured')).resolves.toBe('captured');
  await expect(statusWhen(live.world, before.created, 'captured')).resolves.toBe('captured');
  expect((await confirming).status).toBe(200);
});

it('a payment cancelled after the backup expires, and one refunded after it is refunded again', async () => {
  await live.world.bed.setNow(secondsAfter(NOON, 1_900));
  await startAgain(before.cancelled);
  await expect(statusWhen(live.world, before.cancelled, 'expired')).resolves.toBe('expired');
  await refundIntent(tools(), { ...before.captured, ...ANN });
  await expect(statusOf(live.world, before.captured)).resolves.toBe('refunded');
});

it('the provider has executed each payout once, and no ledger check is violated', async () => {
  const paid = [before.captured, before.created, before.debited.intent, before.begun.intent];
  for (const intent of paid) {
    await expect(truthOf(live.world, intent)).resolves.toMatchObject({ executed: [CENTS] });
  }
  await expect(live.world.executed()).resolves.toEqual(paidBefore);
  await expect(ledgerViolations(live.world)).resolves.toEqual([]);
});
