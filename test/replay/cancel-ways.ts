// Drives cancels between a confirm and its payout (decision 25), to record their histories.
import { startPayment } from '../../src/temporal/payment-start';
import { move } from '../support/builders';
import { PLAIN, type Drive, type Driven } from './ways';
import type { SandboxDriver } from './driver';

export const CANCEL_WAYS: Readonly<Record<string, Drive>> = {
  'cancelled-while-debited': cancelledWhileDebited,
  'cancelled-while-authorized': cancelledWhileAuthorized,
  'cancelled-beside-its-row': cancelledBesideItsRow,
};

/** Resolves when the workflow has accepted the cancel, with the promise of its result. */
async function cancelling({ temporal }: SandboxDriver, intentId: string) {
  const workflow = temporal.workflow.getHandle(intentId);
  const update = await workflow.startUpdate('cancel', { waitForStage: 'ACCEPTED' });
  return { result: update.result() };
}

async function cancelledWhileDebited(driver: SandboxDriver): Promise<Driven> {
  const intent = await driver.create(PLAIN);
  const pending: Promise<unknown>[] = [];
  await driver.whileDebitsWait(async () => {
    await driver.confirm(intent, { isAwaited: false });
    pending.push((await cancelling(driver, intent.intentId)).result);
  });
  await Promise.all(pending);
  return { workflowId: intent.intentId };
}

/**
 * The first task waits four seconds for its row and completes by a heartbeat; the next task accepts
 * the cancel.
 */
async function cancelledWhileAuthorized(driver: SandboxDriver): Promise<Driven> {
  const intent = await driver.create(PLAIN);
  const pending: Promise<unknown>[] = [];
  await driver.whileRowWaits(intent.intentId, async () => {
    pending.push(driver.confirm(intent, { isAwaited: false }));
    await driver.untilAStatementWaits();
    pending.push((await cancelling(driver, intent.intentId)).result);
  });
  await Promise.all(pending);
  return { workflowId: intent.intentId };
}

/** A cancel in a workflow that was started for an authorized row. */
async function cancelledBesideItsRow(driver: SandboxDriver): Promise<Driven> {
  const { temporal } = driver;
  const payment = await driver.paymentOf((await driver.create(PLAIN)).intentId);
  const { intentId } = payment;
  await startPayment(temporal, payment, new Date());
  await temporal.workflow.getHandle(intentId).terminate('recorded');
  await move(driver, intentId, 'authorize', { actor: 'recorded' });
  const pending: Promise<unknown>[] = [];
  await driver.whileDebitsWait(async () => {
    await startPayment(temporal, await driver.paymentOf(intentId), new Date());
    pending.push((await cancelling(driver, intentId)).result);
  });
  await Promise.all(pending);
  return { workflowId: intentId };
}
