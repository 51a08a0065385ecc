// Two worker builds at once (decision 113): one is current, the other gets half of the workflows.
// They change places, as in a deploy that is rolled back.
import type { Client } from '@temporalio/client';
import { until } from '../../../src/dev/until';
import { DEPLOYMENT_NAME } from '../../../src/main/worker/version';

export const BUILDS = { 'worker-1': 'build-1', 'worker-2': 'build-2' } as const;
type Build = (typeof BUILDS)[keyof typeof BUILDS];

const NAMESPACE = 'default';
const HALF_PERCENT = 50;
const TRY_AGAIN_EVERY_MS = 500;
const CALL_TIMEOUT_MS = 5_000;

function otherBuild(build: Build): Build {
  return build === 'build-1' ? 'build-2' : 'build-1';
}

/**
 * Retries until Temporal accepts it: a build is known only after its worker has polled, and
 * Temporal may be away.
 */
export async function makeCurrent(
  client: Client,
  current: Build,
  timeoutMs: number,
): Promise<boolean> {
  const { workflowService } = client;
  const about = { namespace: NAMESPACE, deploymentName: DEPLOYMENT_NAME, identity: 'chaos' };
  const isAccepted = async () => {
    try {
      await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
        await workflowService.setWorkerDeploymentCurrentVersion({ ...about, buildId: current });
        const ramped = { buildId: otherBuild(current), percentage: HALF_PERCENT };
        await workflowService.setWorkerDeploymentRampingVersion({ ...about, ...ramped });
      });
      return true;
    } catch {
      return false;
    }
  };
  return until(isAccepted, { timeoutMs, everyMs: TRY_AGAIN_EVERY_MS });
}
