// Worker versioning, so that a deployment does not break running payments (decision 113): two
// builds on a real Temporal server, with a payment that is open during the change.
import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { until } from '../../src/dev/until';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import { DEPLOYMENT_NAME, workerVersion } from '../../src/main/worker/version';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { remindPayment } from '../../src/temporal/payment-start';
import { confirmUpdate, PAYMENTS_QUEUE } from '../../workflows/messages/messages';
import { activitiesOver } from '../faults/live/world';
import { anIntent, aTokenUse, openTestBed, type TestBed } from '../support/builders';
import { aPartner } from '../support/payments/partner';
import { scriptedProviders } from '../support/payments/scripted-provider';
import { temporalAddress } from '../support/servers/temporal-address';
import { quietTemporal } from '../support/servers/quiet-temporal';
import { bundledWorkflows } from '../support/programs/workflow-bundle';

const TRIES = 30;
// A separate namespace, since the current version of a deployment belongs to the namespace.
const namespace = `versions-${randomUUID()}`;

let bed: TestBed;
let client: Client;
let connection: NativeConnection;

beforeAll(async () => {
  quietTemporal();
  bed = await openTestBed();
  client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, TRIES);
  connection = await NativeConnection.connect({ address: temporalAddress() });
}, 60_000);
afterAll(async () => {
  await connection.close();
  await client.connection.close();
  await bed.close();
});

/** Retries until the worker of that build has polled: only then does the server know the build. */
async function makeCurrent(buildId: string): Promise<void> {
  const request = { namespace, deploymentName: DEPLOYMENT_NAME, buildId, identity: 'test' };
  const isDone = await until(
    () =>
      client.workflowService.setWorkerDeploymentCurrentVersion(request).then(
        () => true,
        () => false,
      ),
    { timeoutMs: 20_000 },
  );
  expect(isDone).toBe(true);
}

it('a payment that waits during a change of the build continues with the new build', async () => {
  const workflowBundle = await bundledWorkflows();
  const aWorker = (buildId: string) =>
    Worker.create({
      connection,
      namespace,
      workflowBundle,
      taskQueue: PAYMENTS_QUEUE,
      activities: { ...activitiesOver(bed, scriptedProviders(['paid'], []).th_qrpay) },
      ...workerVersion(buildId),
    });
  const partner = await aPartner(bed);
  const intent = await anIntent(bed, partner);
  const payment = toPaymentStart(intent);
  const workflow = client.workflow.getHandle(intent.intentId);
  const versionOf = async () => {
    const { raw } = await workflow.describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
  };

  const old = await aWorker('build-1');
  await old.runUntil(async () => {
    await makeCurrent('build-1');
    // Wakes the workflow, so that the old build completes a task of this payment.
    await remindPayment(client, payment);
    await until(async () => (await versionOf()) === 'build-1', { timeoutMs: 20_000 });
  });

  const fresh = await aWorker('build-2');
  await fresh.runUntil(async () => {
    await makeCurrent('build-2');
    const token = aTokenUse(partner);
    const reply = await workflow.executeUpdate(confirmUpdate, {
      args: [{ token, waitForOutcome: true }],
    });
    expect(reply.status).toBe('captured');
  });
  await expect(versionOf()).resolves.toBe('build-2');
}, 90_000);

it('without a build id a worker is not versioned', () => {
  expect(workerVersion(undefined)).toEqual({});
});
