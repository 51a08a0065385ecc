// The workflow code that the worker loads: a prebuilt bundle, or one bundled from source at start
// (some seconds).
import { join } from 'node:path';
import {
  bundleWorkflowCode,
  Runtime,
  type Logger,
  type WorkflowBundleOption,
} from '@temporalio/worker';

const WORKFLOWS = join(__dirname, '..', '..', '..', 'workflows');

/**
 * The workflows, the module that is loaded before any of them runs, and their interceptors. No
 * setting changes them: one source has one bundle.
 */
export const WORKFLOW_SOURCES = {
  workflowsPath: WORKFLOWS,
  preloadModules: [require.resolve('../../../workflows/preloaded')],
  workflowInterceptorModules: [
    require.resolve('../../../workflows/messages/tracing'),
    require.resolve('../../../workflows/task-timer'),
  ],
};

export async function workflowCode(bundlePath: string | undefined): Promise<WorkflowBundleOption> {
  if (bundlePath !== undefined) return { codePath: bundlePath };
  return { code: await bundleWorkflows(Runtime.instance().logger) };
}

/**
 * The text of a bundle, for `npm run build` and for `npm start`, which caches one between starts.
 *
 * @param logger prints progress; on standard error by default
 */
export async function bundleWorkflows(logger?: Logger): Promise<string> {
  const { code } = await bundleWorkflowCode({ ...WORKFLOW_SOURCES, ...(logger && { logger }) });
  return code;
}
