// The workflow code that the worker loads: a prebuilt bundle, or one bundled from source at start
// (some seconds).
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

const WORKFLOWS = join(__dirname, '..', '..', '..', 'workflows');

/**
 * The workflows, the module that is loaded before any of them runs, and their interceptors. No
 * setting changes them: one source has one bundle.
 */
export const WORKFLOW_SOURCES = {
  workflowsPath: WORKFLOWS,
  preloadModules: [require.resolve('../../../workflows/preloaded')],
  workflowInterceptorModules: [require.resolve('../../../workflows/messages/tracing')],
};

export async function workflowCode(bundlePath: string | undefined): Promise<WorkflowBundleOption> {
  return bundlePath === undefined ? { code: await bundleWorkflows() } : { codePath: bundlePath };
}

/**
 * The text of a bundle, for `npm run build` and for `npm start`, which caches one between starts.
 */
export async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode(WORKFLOW_SOURCES);
  return code;
}
