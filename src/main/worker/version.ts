// The build of the workflows that a worker runs, so that a deployment does not break running
// payments (decision 113).
import type { WorkerDeploymentOptions } from '@temporalio/worker';

/** The deployment name of our builds in Temporal. */
export const DEPLOYMENT_NAME = 'payments';

/**
 * A worker with a build id gets tasks only once that build is made current or ramped up; running
 * payments continue with it from their next task. Without a build id workers are not versioned: in
 * local development and in the sandbox.
 */
export function workerVersion(buildId: string | undefined): {
  readonly workerDeploymentOptions?: WorkerDeploymentOptions;
} {
  if (buildId === undefined) return {};
  return {
    workerDeploymentOptions: {
      version: { deploymentName: DEPLOYMENT_NAME, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
