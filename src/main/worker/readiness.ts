// Whether a worker is ready: it polls its queues, and Temporal gives tasks to its build.
import type { Worker } from '@temporalio/worker';
import type { WorkerConfig } from '../../config/config';
import { callWithin } from '../../temporal/connection';
import type { TemporalConnections } from './connect';
import { DEPLOYMENT_NAME } from './version';

interface Readiness {
  /** False until there are workers. A worker stays ready while Temporal is away. */
  readonly isReady: () => Promise<boolean>;
  follow(temporal: TemporalConnections, workers: readonly Worker[]): void;
}

/** Shorter than the time that a probe usually has. */
const ANSWERS_WITHIN_MS = 800;

export function createReadiness({ WORKER_BUILD_ID: buildId }: WorkerConfig): Readiness {
  let isReady = () => Promise.resolve(false);
  return {
    isReady: () => isReady(),
    follow({ client }, workers) {
      isReady = async () => workers.every(isPolling) && (await getsTasks(client, buildId));
    },
  };
}

/** A worker of activities alone has no poller of workflows. */
function isPolling(worker: Worker): boolean {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  const pollers = [workflowPollerState, activityPollerState];
  return runState === 'RUNNING' && pollers.includes('POLLING') && !pollers.includes('FAILED');
}

/** True also where Temporal does not answer: a restart would not help. */
async function getsTasks(
  client: TemporalConnections['client'],
  buildId: string | undefined,
): Promise<boolean> {
  if (buildId === undefined) return true;
  const { namespace } = client.options;
  const deployment = { namespace, deploymentName: DEPLOYMENT_NAME };
  try {
    const { workerDeploymentInfo: info } = await callWithin(
      client,
      () => client.workflowService.describeWorkerDeployment(deployment),
      ANSWERS_WITHIN_MS,
    );
    const { currentDeploymentVersion, rampingDeploymentVersion } = info?.routingConfig ?? {};
    const versions = [currentDeploymentVersion, rampingDeploymentVersion];
    return versions.some((version) => version?.buildId === buildId);
  } catch {
    return true;
  }
}
