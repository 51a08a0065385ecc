// The workflow code that the worker loads: a prebuilt bundle, or one bundled from source at start
// (some seconds).
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkerOptions } from '@temporalio/worker';

const WORKFLOWS = join(__dirname, '..', '..', '..', 'workflows');

/** The workflows, and the module that is loaded before any of them runs. */
export const WORKFLOW_SOURCES = {
  workflowsPath: WORKFLOWS,
  preloadModules: [require.resolve('../../../workflows/preloaded')],
};

export function workflowCode(
  bundlePath: string | undefined,
): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'> {
  const { workflowsPath, preloadModules } = WORKFLOW_SOURCES;
  return bundlePath === undefined
    ? { workflowsPath, bundlerOptions: { preloadModules } }
    : { workflowBundle: { codePath: bundlePath } };
}

/**
 * The text of a bundle, for `npm run build` and for `npm start`, which caches one between starts.
 */
export async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode(WORKFLOW_SOURCES);
  return code;
}
