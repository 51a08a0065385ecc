// "Starting the workflow may come a moment later and is repeated by a reconciler until it has happened" (architecture, section 2;
// decision 123).
import { bundleWorkflowCode } from '@temporalio/worker';
import { until } from '../../src/dev/until';
import { toPaymentStart } from '../../src/domain/payment-start';
import type { IntentId } from '../../src/domain/ids';
import type { Log } from '../../src/ports/log';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import { connectTemporal } from '../../src/temporal/connection';
import { createStartQueue } from '../../src/temporal/start-queue';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import { aPartner } from '../support/partner';
import { inPaymentWorld } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { SILENT } from '../support/silent-log';

/** Nobody listens there. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(async () => {
  await bed.close();
});

/** A queue whose every start fails, and what it says of them. */
async function aFailingQueue() {
  const failed: unknown[] = [];
  const left: unknown[] = [];
  const warn: Log['warn'] = ({ intent_id: intentId, count }) =>
    count === undefined ? failed.push(intentId) : left.push(count);
  const log: Log = { ...SILENT, warn };
  const client = connectTemporal(NOWHERE);
  const queue = createStartQueue({
    ...{ client, sweep: bed.sweep, rows: bed.lostCommits, clock: bed.clock, log },
  });
  const payment = toPaymentStart(await anIntent(bed, await aPartner(bed)));
  return { queue, failed, left, payment, close: () => client.connection.close() };
}

it('starts four at a time, and leaves those that wait when it stops to the reconciler', async () => {
  const { queue, failed, left, payment, close } = await aFailingQueue();
  for (let added = 0; added < 10; added += 1) queue.add(payment);
  await queue.drain();
  expect(failed).toEqual(Array.from({ length: 4 }, () => payment.intentId));
  expect(left).toEqual([6]);
  await close();
});

it('leaves what exceeds a thousand waiting starts to the reconciler, and logs it once', async () => {
  const { queue, failed, left, payment, close } = await aFailingQueue();
  // What is closed fails at once.
  await close();
  for (let added = 0; added < 1_007; added += 1) queue.add(payment);
  await until(() => failed.length === 1_004, { timeoutMs: 60_000 });
  await queue.drain();
  expect(failed).toHaveLength(1_004);
  expect(left).toEqual([3]);
});

it('tries each start that waits, and goes on after failures', async () => {
  const { queue, failed, payment, close } = await aFailingQueue();
  for (let added = 0; added < 10; added += 1) queue.add(payment);
  await until(() => failed.length === 10, { timeoutMs: 30_000 });
  await queue.drain();
  expect(failed).toHaveLength(10);
  await close();
});

it('says nothing of a payment that was confirmed before its turn came, and is over', async () => {
  quietTemporal();
  const workflowBundle = await bundleWorkflowCode(workflowsToTest);
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    await world.confirm(payment);
    await run.result();
    const told: unknown[] = [];
    const log: Log = { ...SILENT, warn: (fields) => told.push(fields) };
    const sweep = createPaymentSweep(world.database);
    const { client } = world.environment;
    const queue = createStartQueue({
      ...{ client, sweep, rows: bed.lostCommits, clock: bed.clock, log },
    });
    queue.add(payment);
    await queue.drain();
    expect(told).toEqual([]);
  });
});

it('asked for many times starts one run', async () => {
  quietTemporal();
  const workflowBundle = await bundleWorkflowCode(workflowsToTest);
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const payment = await world.create();
    const noted: IntentId[] = [];
    const markStarted = (intentIds: readonly IntentId[]) => {
      noted.push(...intentIds);
      return Promise.resolve();
    };
    const sweep = { ...createPaymentSweep(world.database), markStarted };
    const { client } = world.environment;
    const queue = createStartQueue({
      ...{ client, sweep, rows: bed.lostCommits, clock: bed.clock, log: SILENT },
    });
    for (let asked = 0; asked < 5; asked += 1) queue.add(payment);
    await until(() => noted.length > 0, { timeoutMs: 30_000 });
    const { runId } = await client.workflow.getHandle(payment.intentId).describe();
    await until(() => noted.length === 5, { timeoutMs: 30_000 });
    await queue.drain();
    expect(noted).toHaveLength(5);
    await expect(client.workflow.getHandle(payment.intentId).describe()).resolves.toMatchObject({
      runId,
    });
  });
});
