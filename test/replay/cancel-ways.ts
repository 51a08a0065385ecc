// Cancels that come between a confirm and its payout (decision 25), each driven for its history.
import { startPayment } from '../../src/temporal/payment-start';
import { PLAIN, type Drive, type Driven } from './ways';
import type { Stage } from './stage';

export const CANCEL_WAYS: Readonly<Record<string, Drive>> = {
  'cancelled-while-debited': cancelledWhileDebited,
  'cancelled-while-authorized': cancelledWhileAuthorized,
  'cancelled-beside-its-row': cancelledBesideItsRow,
};

async function cancelledWhileDebited(stage: Stage): Promise<Driven> {
  const intent = await stage.create(PLAIN);
  let cancelling: Promise<unknown> = Promise.resolve();
  await stage.whileDebitsWait(async () => {
    await stage.confirm(intent, { isAwaited: false });
    const asked = await stage.temporal.workflow
      .getHandle(intent.intentId)
      .startUpdate('cancel', { waitForStage: 'ACCEPTED' });
    cancelling = asked.result();
  });
  await cancelling;
  return { workflowId: intent.intentId };
}

/** The cancel is let in by the task that follows when the first one has waited for its row for four seconds. */
async function cancelledWhileAuthorized(stage: Stage): Promise<Driven> {
  const { intentId, ...intent } = await stage.create(PLAIN);
  const asked: Promise<unknown>[] = [];
  await stage.whileRowWaits(intentId, async () => {
    asked.push(stage.confirm({ intentId, ...intent }, { isAwaited: false }));
    await stage.untilAStatementWaits();
    const cancelling = await stage.temporal.workflow
      .getHandle(intentId)
      .startUpdate('cancel', { waitForStage: 'ACCEPTED' });
    asked.push(cancelling.result());
  });
  await Promise.all(asked);
  return { workflowId: intentId };
}

/** By a run that was begun beside a row which was authorized already. */
async function cancelledBesideItsRow(stage: Stage): Promise<Driven> {
  const { intents, temporal } = stage;
  const payment = await stage.paymentOf((await stage.create(PLAIN)).intentId);
  const { intentId } = payment;
  await startPayment(temporal, payment, new Date());
  await temporal.workflow.getHandle(intentId).terminate('recorded');
  await intents.transition({ intentId, from: 'created', event: 'authorize', actor: 'recorded' });
  let cancelling: Promise<unknown> = Promise.resolve();
  await stage.whileDebitsWait(async () => {
    await startPayment(temporal, await stage.paymentOf(intentId), new Date());
    const asked = await temporal.workflow
      .getHandle(intentId)
      .startUpdate('cancel', { waitForStage: 'ACCEPTED' });
    cancelling = asked.result();
  });
  await cancelling;
  return { workflowId: intentId };
}
