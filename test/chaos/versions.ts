// Two builds of the worker at once (decision 113): one is current, the other gets half of the runs, and now and then they
// change places, as in a deploy that is taken back.
import type { Client } from '@temporalio/client';
import { until } from '../../src/dev/until';
import { DEPLOYMENT_NAME } from '../../src/main/worker-version';

export const BUILDS = { 'worker-1': 'build-1', 'worker-2': 'build-2' } as const;
export type Build = (typeof BUILDS)[keyof typeof BUILDS];

const NAMESPACE = 'default';
const HALF_PERCENT = 50;
const TRY_AGAIN_EVERY_MS = 500;

export function otherBuild(build: Build): Build {
  return build === 'build-1' ? 'build-2' : 'build-1';
}

/** Tried until Temporal takes it: a build is known once its worker has polled, and Temporal may be away. */
export async function makeCurrent(
  { workflowService }: Client,
  current: Build,
  timeoutMs: number,
): Promise<boolean> {
  const about = { namespace: NAMESPACE, deploymentName: DEPLOYMENT_NAME, identity: 'chaos' };
  const isTaken = async () => {
    try {
      await workflowService.setWorkerDeploymentCurrentVersion({ ...about, buildId: current });
      await workflowService.setWorkerDeploymentRampingVersion({
        ...about,
        buildId: otherBuild(current),
        percentage: HALF_PERCENT,
      });
      return true;
    } catch {
      return false;
    }
  };
  return until(isTaken, { timeoutMs, everyMs: TRY_AGAIN_EVERY_MS });
}
