// The workflows as the worker loads them: a bundle made beforehand, or bundled from source at start (some seconds).
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkflowBundlePath } from '@temporalio/worker';

const WORKFLOWS = join(__dirname, '..', '..', 'workflows');

export function workflowCode(
  bundlePath: string | undefined,
): { readonly workflowBundle: WorkflowBundlePath } | { readonly workflowsPath: string } {
  return bundlePath === undefined
    ? { workflowsPath: WORKFLOWS }
    : { workflowBundle: { codePath: bundlePath } };
}

/** The text of a bundle, for `npm run build` and for `npm start`, which keeps one between starts. */
export async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS });
  return code;
}
