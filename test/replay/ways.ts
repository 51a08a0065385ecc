// Drives ten ways that a payment can go, to record their histories.
import { parseIntentId, parsePartnerId } from '../../src/domain/ids';
import { WEBHOOK_FAST_ANSWERS_MIN } from '../../src/domain/limits';
import { usdCents } from '../../src/domain/money';
import { until } from '../../src/dev/until';
import { allowPayouts, createPayoutStops } from '../../src/postgres/payouts/stops';
import { resumePayment } from '../../src/temporal/payment-start';
import { requestRefund } from '../../src/temporal/starts';
import {
  PAYMENTS_QUEUE,
  refundWorkflowId,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages/messages';
import { aThaiCode } from '../support/payments/qr-codes';
import { isWaitingForPayouts } from '../support/payments/stopped-payment';
import type { SandboxDriver } from './driver';

export interface Driven {
  readonly workflowId: string;
  /** The workflow stays open, and its history is recorded so far. */
  readonly isOpen?: boolean;
}

type Drive = (driver: SandboxDriver) => Promise<Driven>;

/** Amounts of src/sandbox/scenarios.ts. */
const [PLAIN, LATE_SUCCESS, NEVER_KNOWN] = [1_250, 40_002, 40_005];
const RECORDED = { actor: 'recorded', reason: 'recorded' };
const WAIT = { timeoutMs: 60_000 };

/** In the order in which they are recorded: `captured` before the endpoint counts as fast. */
export const WAYS: Readonly<Record<string, Drive>> = {
  captured: confirmed(PLAIN),
  refunded: async (driver) => refund(driver, (await confirmed(PLAIN)(driver)).workflowId),
  expired: async ({ create }) => ({ workflowId: (await create(PLAIN)).intentId }),
  'resolved-as-declined': resolvedAsDeclined,
  'cancelled-while-authorized': cancelledWhileAuthorized,
  'confirmed-after-a-lost-task': confirmedAfterALostTask,
  'webhook-alone': webhookAlone,
  'captured-after-a-stop': capturedAfterAStop,
  'captured-by-a-fast-endpoint': capturedByAFastEndpoint,
  'captured-through-a-slow-provider': async (driver) => {
    await capturedByAFastEndpoint(driver);
    await confirmed(LATE_SUCCESS)(driver);
    return confirmed(PLAIN)(driver);
  },
};

function confirmed(amountUsdCents: number): Drive {
  return async ({ create, confirm }) => {
    const intent = await create(amountUsdCents);
    await confirm(intent, { qrPayload: aThaiCode() });
    return { workflowId: intent.intentId };
  };
}

async function capturedByAFastEndpoint(driver: SandboxDriver): Promise<Driven> {
  for (let made = 0; made < WEBHOOK_FAST_ANSWERS_MIN; made += 1) {
    const { workflowId } = await confirmed(PLAIN)(driver);
    await driver.temporal.workflow.getHandle(workflowId).result();
  }
  return confirmed(PLAIN)(driver);
}

async function refund({ temporal }: SandboxDriver, id: string): Promise<Driven> {
  const [intentId, partnerId] = [parseIntentId(id), parsePartnerId('recorded')];
  if (intentId === undefined || partnerId === undefined)
    throw new Error('invalid intent id or partner id');
  const intent = { partnerId, corridor: 'th_qrpay', amountUsdCents: usdCents(PLAIN) } as const;
  const request = { intentId, intent, requestId: 'recorded', ...RECORDED };
  await requestRefund(temporal, request, AbortSignal.timeout(10_000));
  return { workflowId: refundWorkflowId(intentId) };
}

/** `npm start` raises attention after 15 s. The workflow stays open for a day, to recheck. */
async function resolvedAsDeclined(driver: SandboxDriver): Promise<Driven> {
  const { workflowId } = await confirmed(NEVER_KNOWN)(driver);
  await driver.resolvePayout(workflowId, 'declined');
  return { workflowId, isOpen: true };
}

/**
 * A cancel between a confirm and its payout (decision 25). The first task waits four seconds for
 * its row and completes by a heartbeat; the next task accepts the cancel.
 */
async function cancelledWhileAuthorized(driver: SandboxDriver): Promise<Driven> {
  const { create, confirm, temporal } = driver;
  const intent = await create(PLAIN);
  const pending: Promise<unknown>[] = [];
  await driver.whileRowWaits(intent.intentId, async () => {
    pending.push(confirm(intent, { isAwaited: false }));
    await driver.untilAStatementWaits();
    const workflow = temporal.workflow.getHandle(intent.intentId);
    const update = await workflow.startUpdate('cancel', { waitForStage: 'ACCEPTED' });
    pending.push(update.result());
  });
  await Promise.all(pending);
  return { workflowId: intent.intentId };
}

/**
 * A task that ends early, while its local activity goes on, and whose worker dies; the next task
 * accepts a confirm (workflows/task-timer.ts).
 */
async function confirmedAfterALostTask(driver: SandboxDriver): Promise<Driven> {
  const { temporal, create, paymentOf, confirm, killWorker } = driver;
  const intent = await create(PLAIN);
  const payment = await paymentOf(intent.intentId);
  const workflow = temporal.workflow.getHandle(intent.intentId);
  const hasEndedTask = async () => {
    const { events } = await workflow.fetchHistory();
    return (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);
  };
  await driver.whileIntentsWait(async () => {
    // The workflow reads its row first, and cannot.
    await resumePayment(temporal, payment);
    if (!(await until(hasEndedTask, WAIT))) throw new Error('no task ended early');
    killWorker();
  });
  // Nothing answers it before the worker is back.
  await confirm(intent, { isAwaited: false }).catch(() => undefined);
  await driver.until(intent.intentId, `status = 'captured'`);
  return { workflowId: intent.intentId };
}

async function webhookAlone(driver: SandboxDriver): Promise<Driven> {
  const { workflowId: id } = await confirmed(PLAIN)(driver);
  await driver.temporal.workflow.getHandle(id).result();
  const { intentId, partnerId } = await driver.paymentOf(id);
  const { eventId } = await driver.intents.readCurrentState(intentId);
  if (eventId === null) throw new Error('the captured payment has no webhook event');
  const workflowId = webhookWorkflowId(eventId);
  await driver.temporal.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId,
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId, partnerId],
  });
  return { workflowId };
}

/** Confirmed while payouts are stopped (decision 127); they are allowed once the workflow waits. */
async function capturedAfterAStop(driver: SandboxDriver): Promise<Driven> {
  const { create, confirm, temporal, database } = driver;
  await createPayoutStops(database).stop({ ...RECORDED, kind: 'operator' });
  const intent = await create(PLAIN);
  await confirm(intent, { isAwaited: false });
  await driver.until(intent.intentId, `status = 'authorized'`);
  const workflow = temporal.workflow.getHandle(intent.intentId);
  if (!(await until(() => isWaitingForPayouts(workflow), WAIT))) throw new Error('never waited');
  await allowPayouts(database, { ...RECORDED, isAfterRestore: true });
  return { workflowId: intent.intentId };
}
