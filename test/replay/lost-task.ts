// A task that ends early, while its local activity goes on, and whose worker dies; the next task
// accepts a confirm (workflows/task-timer.ts).
import { until } from '../../src/dev/until';
import { resumePayment } from '../../src/temporal/payment-start';
import type { SandboxDriver } from './driver';
import { PLAIN, type Driven } from './ways';

const WAIT = { timeoutMs: 60_000 };

export async function confirmedAfterALostTask(driver: SandboxDriver): Promise<Driven> {
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
