// Which build of the workflows a worker runs, so that a deploy does not break running payments (decision 113).
import type { WorkerDeploymentOptions } from '@temporalio/worker';

/** The name under which Temporal knows our builds. */
export const DEPLOYMENT_NAME = 'payments';

/**
 * A worker that names its build gets tasks only once that build is made current or ramped up, and running payments go on
 * with it from their next task. Without a build, workers are not versioned: the desk and the sandbox.
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
