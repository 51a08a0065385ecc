// Worker versioning, so that a deployment does not break running payments (decision 113): two
// builds on a real Temporal server, with a payment that is open during the change.
import { Worker } from '@temporalio/worker';
import { until } from '../../src/dev/until';
import { toPaymentStart } from '../../src/domain/intents/payment-start';
import { DEPLOYMENT_NAME, workerVersion } from '../../src/main/worker/version';
import { remindPayment } from '../../src/temporal/payment-start';
import { confirmUpdate, PAYMENTS_QUEUE, payoutsQueue } from '../../workflows/messages/messages';
import { activitiesOver } from '../faults/live/world';
import { anIntent, aTokenUse } from '../support/builders';
import { aPartner } from '../support/payments/partner';
import { scriptedProviders } from '../support/payments/scripted-provider';
import { bundledWorkflows } from '../support/programs/workflow-bundle';
import { withOwnNamespace } from './own-namespace';

// The current version of a deployment belongs to the namespace.
const own = withOwnNamespace();

/** Retries until the worker of that build has polled: only then does the server know the build. */
async function makeCurrent(buildId: string): Promise<void> {
  const request = {
    namespace: own.namespace,
    deploymentName: DEPLOYMENT_NAME,
    buildId,
    identity: 'test',
  };
  const isDone = await until(
    () =>
      own.client.workflowService.setWorkerDeploymentCurrentVersion(request).then(
        () => true,
        () => false,
      ),
    { timeoutMs: 20_000 },
  );
  expect(isDone).toBe(true);
}

it('a payment that waits during a change of the build continues with the new build', async () => {
  const workflowBundle = await bundledWorkflows();
  const aWorker = (buildId: string, taskQueue = PAYMENTS_QUEUE) =>
    Worker.create({
      connection: own.connection,
      namespace: own.namespace,
      workflowBundle,
      taskQueue,
      activities: { ...activitiesOver(own.bed, scriptedProviders(['paid'], []).th_qrpay) },
      ...workerVersion(buildId),
    });
  const partner = await aPartner(own.bed);
  const intent = await anIntent(own.bed, partner);
  const payment = toPaymentStart(intent);
  const workflow = own.client.workflow.getHandle(intent.intentId);
  const versionOf = async () => {
    const { raw } = await workflow.describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
  };

  const old = await aWorker('build-1');
  await old.runUntil(async () => {
    await makeCurrent('build-1');
    // Wakes the workflow, so that the old build completes a task of this payment.
    await remindPayment(own.client, payment);
    await until(async () => (await versionOf()) === 'build-1', { timeoutMs: 20_000 });
  });

  const fresh = await aWorker('build-2');
  const payouts = await aWorker('build-2', payoutsQueue('th_qrpay'));
  const confirmed = async () => {
    await makeCurrent('build-2');
    const token = aTokenUse(partner);
    const reply = await workflow.executeUpdate(confirmUpdate, {
      args: [{ token, waitForOutcome: true }],
    });
    expect(reply.status).toBe('captured');
  };
  await fresh.runUntil(payouts.runUntil(confirmed));
  await expect(versionOf()).resolves.toBe('build-2');
});

it('without a build id a worker is not versioned', () => {
  expect(workerVersion(undefined)).toEqual({});
});
