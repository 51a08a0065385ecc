// Cancels that come between a confirm and its payout (decision 25), each driven for its history.
import { startPayment } from '../../src/temporal/payment-start';
import { move } from '../support/builders';
import { PLAIN, type Drive, type Driven } from './ways';
import type { Stage } from './stage';

export const CANCEL_WAYS: Readonly<Record<string, Drive>> = {
  'cancelled-while-debited': cancelledWhileDebited,
  'cancelled-while-authorized': cancelledWhileAuthorized,
  'cancelled-beside-its-row': cancelledBesideItsRow,
};

/** Comes back when the cancel is let in, with what it is told in the end. */
async function cancelling({ temporal }: Stage, intentId: string) {
  const run = temporal.workflow.getHandle(intentId);
  const asked = await run.startUpdate('cancel', { waitForStage: 'ACCEPTED' });
  return { told: asked.result() };
}

async function cancelledWhileDebited(stage: Stage): Promise<Driven> {
  const intent = await stage.create(PLAIN);
  const asked: Promise<unknown>[] = [];
  await stage.whileDebitsWait(async () => {
    await stage.confirm(intent, { isAwaited: false });
    asked.push((await cancelling(stage, intent.intentId)).told);
  });
  await Promise.all(asked);
  return { workflowId: intent.intentId };
}

/** The cancel is let in by the task that follows when the first one has waited for its row for four seconds. */
async function cancelledWhileAuthorized(stage: Stage): Promise<Driven> {
  const intent = await stage.create(PLAIN);
  const asked: Promise<unknown>[] = [];
  await stage.whileRowWaits(intent.intentId, async () => {
    asked.push(stage.confirm(intent, { isAwaited: false }));
    await stage.untilAStatementWaits();
    asked.push((await cancelling(stage, intent.intentId)).told);
  });
  await Promise.all(asked);
  return { workflowId: intent.intentId };
}

/** By a run that was begun beside a row which was authorized already. */
async function cancelledBesideItsRow(stage: Stage): Promise<Driven> {
  const { temporal } = stage;
  const payment = await stage.paymentOf((await stage.create(PLAIN)).intentId);
  const { intentId } = payment;
  await startPayment(temporal, payment, new Date());
  await temporal.workflow.getHandle(intentId).terminate('recorded');
  await move(stage, intentId, 'authorize', { actor: 'recorded' });
  const asked: Promise<unknown>[] = [];
  await stage.whileDebitsWait(async () => {
    await startPayment(temporal, await stage.paymentOf(intentId), new Date());
    asked.push((await cancelling(stage, intentId)).told);
  });
  await Promise.all(asked);
  return { workflowId: intentId };
}
