// Drives payments with faults and operators, to record their histories: a silent provider, an
// amount mismatch, workflows that were terminated, reset or differ from their rows, rejections.
import { until as untilTrue } from '../../src/dev/until';
import type { ResolvedOutcome } from '../../src/domain/intents/manual-resolution';
import { allowPayouts } from '../../src/postgres/payouts/stops';
import { ensureRecheck } from '../../src/temporal/workflow-repairer';
import { remindPayment, resumePayment, startPayment } from '../../src/temporal/payment-start';
import {
  recheckWorkflowId,
  confirmUpdate,
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages/messages';
import { move } from '../support/builders';
import { CANCEL_WAYS } from './cancel-ways';
import { confirmedAfterALostTask } from './lost-task';
import { RECORDED, STOP_WAYS } from './stop-ways';
import {
  capturedByAFastEndpoint,
  confirmed,
  AMOUNT_MISMATCH,
  PLAIN,
  type Drive,
  type Driven,
} from './ways';
import type { SandboxDriver } from './driver';

const [DECLINED, PENDING] = [40_001, 40_004];
/** The provider executes this amount, but never answers the order. */
const LATE_SUCCESS = 40_002;
const ATTENTION = 'attention_reason is not null';
const AUTHORIZED = `status = 'authorized'`;
const hasAttempts = (attempts: number) =>
  `exists (select from payouts p
            where p.intent_id = i.intent_id and p.attempts >= ${String(attempts)})`;

export const RARE_WAYS: Readonly<Record<string, Drive>> = {
  'captured-after-attention': answeredAfterAttention(PLAIN),
  'failed-after-attention': answeredAfterAttention(DECLINED),
  'resolved-as-declined-rejected': resolvedAsDeclinedRejected,
  'rechecked-alone': recheckAlone('paid'),
  'rechecked-alone-contradicted': recheckAlone('declined'),
  'amount-mismatch-queried-again': mismatchQueriedAgain,
  'amount-mismatch-reminded': mismatchReminded,
  'amount-mismatch-not-declined': mismatchNotDeclined,
  ...CANCEL_WAYS,
  'confirmed-after-a-lost-task': confirmedAfterALostTask,
  'adopted-after-terminate': adoptedAfterTerminate,
  'adopted-a-settled-row': adoptedAnEnd,
  'picked-up-by-a-reminder': pickedUpByReminder,
  'row-behind-the-workflow': rowBehindTheWorkflow,
  'reset-after-settlement': resetAfterItsEnd,
  'confirm-rejected-then-expired': confirmRejectedThenExpired,
  'webhook-alone': webhookAlone,
  ...STOP_WAYS,
  'captured-through-a-slow-provider': async (driver) => {
    await capturedByAFastEndpoint(driver);
    await confirmed(LATE_SUCCESS)(driver);
    return confirmed(PLAIN)(driver);
  },
};

/** Sends the order to a provider that stays silent until attention is raised. */
async function sentInSilence(
  { create, confirm, until, whileProviderIsSilent }: SandboxDriver,
  cents: number,
  meanwhile: (intentId: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const intent = await create(cents);
  await whileProviderIsSilent(async () => {
    await confirm(intent, { isAwaited: false });
    await until(intent.intentId, ATTENTION);
    await meanwhile(intent.intentId);
  });
  return intent.intentId;
}

function answeredAfterAttention(cents: number): Drive {
  return async (driver) => ({ workflowId: await sentInSilence(driver, cents) });
}

/**
 * The provider has paid and stays silent until no attempt is under way, so that the resolution gets
 * its first answer.
 */
async function resolvedAsDeclinedRejected(driver: SandboxDriver): Promise<Driven> {
  const { create, confirm, until, whileProviderIsSilent } = driver;
  const intent = await create(LATE_SUCCESS);
  const workflowId = intent.intentId;
  await confirm(intent, { isAwaited: false });
  await until(workflowId, hasAttempts(1));
  await whileProviderIsSilent(async () => {
    await until(workflowId, ATTENTION);
    await untilBetweenAttempts(driver, workflowId);
  });
  demand('The provider says paid.', await driver.resolvePayout(workflowId, 'declined'));
  return { workflowId };
}

/** A value of `PendingActivityState`: the activity waits for its next attempt. */
const SCHEDULED = 1;

async function untilBetweenAttempts(
  { temporal }: SandboxDriver,
  workflowId: string,
): Promise<void> {
  const isBetween = async () => {
    const { raw } = await temporal.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).some(
      ({ state, attempt }) => state === SCHEDULED && (attempt ?? 0) > 1,
    );
  };
  if (!(await untilTrue(isBetween, { timeoutMs: 60_000 })))
    throw new Error('an attempt is always under way');
}

/** Rechecks a completed payment, so that the workflow is as short as possible. */
function recheckAlone(resolvedAs: ResolvedOutcome): Drive {
  return async (driver) => {
    const { workflowId } = await confirmed(PLAIN)(driver);
    await driver.temporal.workflow.getHandle(workflowId).result();
    const payment = await driver.paymentOf(workflowId);
    await ensureRecheck(driver.temporal, { ...payment, resolvedAs });
    return { workflowId: recheckWorkflowId(payment.intentId) };
  };
}

async function amountMismatch(driver: SandboxDriver): Promise<string> {
  const { workflowId } = await confirmed(AMOUNT_MISMATCH)(driver);
  await driver.until(workflowId, ATTENTION);
  return workflowId;
}

async function mismatchQueriedAgain(driver: SandboxDriver): Promise<Driven> {
  const workflowId = await amountMismatch(driver);
  const payment = await driver.paymentOf(workflowId);
  await remindPayment(driver.temporal, payment);
  await resumePayment(driver.temporal, payment);
  await driver.until(workflowId, hasAttempts(2));
  await driver.resolvePayout(workflowId, 'paid');
  return { workflowId };
}

/** A reminder writes attention again, without a query to the provider. */
async function mismatchReminded(driver: SandboxDriver): Promise<Driven> {
  const workflowId = await amountMismatch(driver);
  await remindPayment(driver.temporal, await driver.paymentOf(workflowId));
  return { workflowId, isOpen: true };
}

async function mismatchNotDeclined(driver: SandboxDriver): Promise<Driven> {
  const workflowId = await amountMismatch(driver);
  demand('The provider says paid.', await driver.resolvePayout(workflowId, 'declined'));
  await driver.resolvePayout(workflowId, 'paid');
  return { workflowId };
}

async function adoptedAfterTerminate(driver: SandboxDriver): Promise<Driven> {
  const { intentId } = await sentAndPending(driver);
  await driver.temporal.workflow.getHandle(intentId).terminate('recorded');
  await startPayment(driver.temporal, await driver.paymentOf(intentId), new Date());
  return { workflowId: intentId };
}

async function sentAndPending({ create, confirm, until }: SandboxDriver) {
  const intent = await create(PENDING);
  await confirm(intent, { isAwaited: false });
  await until(intent.intentId, hasAttempts(1));
  return intent;
}

async function adoptedAnEnd(driver: SandboxDriver): Promise<Driven> {
  const { intentId } = await driver.paymentOf((await sentAndPending(driver)).intentId);
  await move(driver, intentId, 'fail', { actor: 'recorded', reason: 'recorded' });
  return { workflowId: intentId };
}

async function pickedUpByReminder(driver: SandboxDriver): Promise<Driven> {
  const payment = await driver.paymentOf((await driver.create(PLAIN)).intentId);
  const { intentId } = payment;
  await startPayment(driver.temporal, payment, new Date());
  await move(driver, intentId, 'authorize', { actor: 'recorded' });
  await remindPayment(driver.temporal, payment);
  return { workflowId: intentId };
}

/** Sets the row back, as a restored database would; then operators record how the payment ended. */
async function rowBehindTheWorkflow(driver: SandboxDriver): Promise<Driven> {
  const intent = await driver.create(PLAIN);
  await driver.whileDebitsWait(async () => {
    await driver.confirm(intent, { isAwaited: false });
    await driver.until(intent.intentId, AUTHORIZED);
    await rewriteStatus(driver, intent.intentId, 'created');
  });
  await driver.until(intent.intentId, ATTENTION);
  await rewriteStatus(driver, intent.intentId, 'authorized');
  const payment = await driver.paymentOf(intent.intentId);
  await move(driver, payment.intentId, 'fail', { actor: 'recorded' });
  await remindPayment(driver.temporal, payment);
  // The row behind its workflow has stopped payouts.
  await allowPayouts(driver.database, { ...RECORDED, isAfterRestore: true });
  return { workflowId: intent.intentId };
}

/** Disables a trigger for this change, because the database rejects it otherwise. */
async function rewriteStatus(
  { database }: SandboxDriver,
  intentId: string,
  status: string,
): Promise<void> {
  await database.inTransaction(async (connection) => {
    const trigger = 'trigger payment_intents_status_is_audited';
    await connection.query({ text: `alter table payment_intents disable ${trigger}` });
    await connection.query({
      text: 'update payment_intents set status = $2 where intent_id = $1',
      values: [intentId, status],
    });
    await connection.query({ text: `alter table payment_intents enable ${trigger}` });
  });
}

async function resetAfterItsEnd(driver: SandboxDriver): Promise<Driven> {
  const { workflowId } = await confirmed(PLAIN)(driver);
  const run = driver.temporal.workflow.getHandle(workflowId);
  await run.result();
  const { events } = await run.fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
  if (!first?.eventId) throw new Error('the workflow had no task');
  await driver.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    reason: 'recorded',
    requestId: workflowId,
    workflowTaskFinishEventId: first.eventId,
  });
  return { workflowId };
}

async function confirmRejectedThenExpired(driver: SandboxDriver): Promise<Driven> {
  const payment = await driver.paymentOf((await driver.create(PLAIN)).intentId);
  const { intentId, partnerId } = payment;
  await startPayment(driver.temporal, payment, new Date());
  const token = { partnerId, jtiHash: 'ab'.repeat(32), expiresAtMs: 0 };
  await driver.temporal.workflow
    .getHandle(intentId)
    .executeUpdate(confirmUpdate, { args: [{ token, waitForOutcome: true }] });
  return { workflowId: intentId };
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

function demand(expected: string | null, found: string | null): void {
  if (found !== expected) throw new Error(`expected ${String(expected)}, found ${String(found)}`);
}
