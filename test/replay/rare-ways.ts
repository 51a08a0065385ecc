// The ways that faults lead to and operators: a silent provider, a contrary one, runs that were terminated, reset or fell
// behind their rows, rejections. Each driven for its history.
import { until as untilTrue } from '../../src/dev/until';
import type { ResolvedOutcome } from '../../src/domain/intents/manual-resolution';
import { allowPayouts } from '../../src/postgres/payouts/stops';
import { ensureRecheck } from '../../src/temporal/recheck-start';
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
import { RECORDED, STOP_WAYS } from './stop-ways';
import { confirmed, CONTRARY, PLAIN, type Drive, type Driven } from './ways';
import type { Stage } from './stage';

const [DECLINED, PENDING] = [40_001, 40_004];
/** The provider executes it, and never answers the order. */
const LATE_SUCCESS = 40_002;
const ATTENTION = 'attention_reason is not null';
const AUTHORIZED = `status = 'authorized'`;
const hasAttempts = (attempts: number) =>
  `exists (select from payouts p where p.intent_id = i.intent_id and p.attempts >= ${String(attempts)})`;

export const RARE_WAYS: Readonly<Record<string, Drive>> = {
  'captured-after-attention': toldAtLast(PLAIN),
  'failed-after-attention': toldAtLast(DECLINED),
  'declared-declined-refused': declaredDeclinedRefused,
  'compared-alone': comparedAlone('paid'),
  'compared-alone-contradicted': comparedAlone('declined'),
  'contrary-asked-again': contraryAskedAgain,
  'contrary-reminded': contraryReminded,
  'contrary-not-declined': contraryNotDeclined,
  ...CANCEL_WAYS,
  'adopted-after-terminate': adoptedAfterTerminate,
  'adopted-an-end': adoptedAnEnd,
  'picked-up-by-a-reminder': pickedUpByReminder,
  'row-behind-the-run': rowBehindTheRun,
  'reset-after-its-end': resetAfterItsEnd,
  'confirm-refused-then-expired': confirmRefusedThenExpired,
  'webhook-alone': webhookAlone,
  ...STOP_WAYS,
};

/** The provider is sent the order, and answers nothing until attention is raised. */
async function sentInSilence(
  { create, confirm, until, whileProviderIsSilent }: Stage,
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

function toldAtLast(cents: number): Drive {
  return async (stage) => ({ workflowId: await sentInSilence(stage, cents) });
}

/** The provider has paid and is silent until no attempt queries it: what it answers then is what the declaration meets. */
async function declaredDeclinedRefused(stage: Stage): Promise<Driven> {
  const { create, confirm, until, whileProviderIsSilent } = stage;
  const intent = await create(LATE_SUCCESS);
  const workflowId = intent.intentId;
  await confirm(intent, { isAwaited: false });
  await until(workflowId, hasAttempts(1));
  await whileProviderIsSilent(async () => {
    await until(workflowId, ATTENTION);
    await untilBetweenAttempts(stage, workflowId);
  });
  demand('The provider says paid.', await stage.declare(workflowId, 'declined'));
  return { workflowId };
}

/** Of `PendingActivityState`: it waits to be tried again. */
const SCHEDULED = 1;

async function untilBetweenAttempts({ temporal }: Stage, workflowId: string): Promise<void> {
  const isBetween = async () => {
    const { raw } = await temporal.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).some(
      ({ state, attempt }) => state === SCHEDULED && (attempt ?? 0) > 1,
    );
  };
  if (!(await untilTrue(isBetween, { timeoutMs: 60_000 })))
    throw new Error('an attempt is always under way');
}

/** Of a payment that ended long ago, so that the run is as short as it can be. */
function comparedAlone(resolvedAs: ResolvedOutcome): Drive {
  return async (stage) => {
    const { workflowId } = await confirmed(PLAIN)(stage);
    await stage.temporal.workflow.getHandle(workflowId).result();
    const payment = await stage.paymentOf(workflowId);
    await ensureRecheck(stage.temporal, { ...payment, resolvedAs });
    return { workflowId: recheckWorkflowId(payment.intentId) };
  };
}

async function contrary(stage: Stage): Promise<string> {
  const { workflowId } = await confirmed(CONTRARY)(stage);
  await stage.until(workflowId, ATTENTION);
  return workflowId;
}

async function contraryAskedAgain(stage: Stage): Promise<Driven> {
  const workflowId = await contrary(stage);
  const payment = await stage.paymentOf(workflowId);
  await remindPayment(stage.temporal, payment);
  await resumePayment(stage.temporal, payment);
  await stage.until(workflowId, hasAttempts(2));
  await stage.declare(workflowId, 'paid');
  return { workflowId };
}

/** A reminder has attention written again, and nothing asked. */
async function contraryReminded(stage: Stage): Promise<Driven> {
  const workflowId = await contrary(stage);
  await remindPayment(stage.temporal, await stage.paymentOf(workflowId));
  return { workflowId, isOpen: true };
}

async function contraryNotDeclined(stage: Stage): Promise<Driven> {
  const workflowId = await contrary(stage);
  demand('The provider says paid.', await stage.declare(workflowId, 'declined'));
  await stage.declare(workflowId, 'paid');
  return { workflowId };
}

async function adoptedAfterTerminate(stage: Stage): Promise<Driven> {
  const { intentId } = await sentAndPending(stage);
  await stage.temporal.workflow.getHandle(intentId).terminate('recorded');
  await startPayment(stage.temporal, await stage.paymentOf(intentId), new Date());
  return { workflowId: intentId };
}

async function sentAndPending({ create, confirm, until }: Stage) {
  const intent = await create(PENDING);
  await confirm(intent, { isAwaited: false });
  await until(intent.intentId, hasAttempts(1));
  return intent;
}

async function adoptedAnEnd(stage: Stage): Promise<Driven> {
  const { intentId } = await stage.paymentOf((await sentAndPending(stage)).intentId);
  await move(stage, intentId, 'fail', { actor: 'recorded', reason: 'recorded' });
  return { workflowId: intentId };
}

async function pickedUpByReminder(stage: Stage): Promise<Driven> {
  const payment = await stage.paymentOf((await stage.create(PLAIN)).intentId);
  const { intentId } = payment;
  await startPayment(stage.temporal, payment, new Date());
  await move(stage, intentId, 'authorize', { actor: 'recorded' });
  await remindPayment(stage.temporal, payment);
  return { workflowId: intentId };
}

/** As a database that was restored would have it; then operations have found out how it ended. */
async function rowBehindTheRun(stage: Stage): Promise<Driven> {
  const intent = await stage.create(PLAIN);
  await stage.whileDebitsWait(async () => {
    await stage.confirm(intent, { isAwaited: false });
    await stage.until(intent.intentId, AUTHORIZED);
    await rewriteStatus(stage, intent.intentId, 'created');
  });
  await stage.until(intent.intentId, ATTENTION);
  await rewriteStatus(stage, intent.intentId, 'authorized');
  const payment = await stage.paymentOf(intent.intentId);
  await move(stage, payment.intentId, 'fail', { actor: 'recorded' });
  await remindPayment(stage.temporal, payment);
  // That it was behind has stopped them.
  await allowPayouts(stage.database, { ...RECORDED, isAfterRestore: true });
  return { workflowId: intent.intentId };
}

/** No product code can: the database refuses it. */
async function rewriteStatus({ database }: Stage, intentId: string, status: string): Promise<void> {
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

async function resetAfterItsEnd(stage: Stage): Promise<Driven> {
  const { workflowId } = await confirmed(PLAIN)(stage);
  const run = stage.temporal.workflow.getHandle(workflowId);
  await run.result();
  const { events } = await run.fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
  if (!first?.eventId) throw new Error('the run had no task');
  await stage.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    reason: 'recorded',
    requestId: workflowId,
    workflowTaskFinishEventId: first.eventId,
  });
  return { workflowId };
}

async function confirmRefusedThenExpired(stage: Stage): Promise<Driven> {
  const payment = await stage.paymentOf((await stage.create(PLAIN)).intentId);
  const { intentId, partnerId } = payment;
  await startPayment(stage.temporal, payment, new Date());
  const token = { partnerId, jtiHash: 'ab'.repeat(32), expiresAtMs: 0 };
  await stage.temporal.workflow
    .getHandle(intentId)
    .executeUpdate(confirmUpdate, { args: [{ token, waitForOutcome: true }] });
  return { workflowId: intentId };
}

async function webhookAlone(stage: Stage): Promise<Driven> {
  const { workflowId: id } = await confirmed(PLAIN)(stage);
  await stage.temporal.workflow.getHandle(id).result();
  const { intentId, partnerId } = await stage.paymentOf(id);
  const { eventId } = await stage.intents.standing(intentId);
  if (eventId === null) throw new Error('the sandbox partner is told of captured payments');
  const workflowId = webhookWorkflowId(eventId);
  await stage.temporal.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId,
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId, partnerId],
  });
  return { workflowId };
}

function demand(expected: string | null, found: string | null): void {
  if (found !== expected) throw new Error(`expected ${String(expected)}, found ${String(found)}`);
}
