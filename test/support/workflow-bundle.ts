// The workflows as the worker bundles them: bundled by the first test file of a run that needs them, and read by the others.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';
import { workflowsToTest } from './quiet-temporal';

/**
 * A thread of its own for a worker's workflows costs a second of CPU to start, in each world of each test. Without it a run shows no
 * stack trace, and nothing ends a workflow that does not yield.
 */
export const ON_THIS_THREAD = { debugMode: true, reuseV8Context: true } as const;

let bundle: Promise<WorkflowBundleOption> | undefined;

/** Takes some seconds in the first file. */
export function bundledWorkflows(): Promise<WorkflowBundleOption> {
  bundle ??= bundleOnce(process.env['TEST_RUN_FOLDER']);
  return bundle;
}

/** The same, with a watch over restores that ticks that often. */
export async function workflowsTickingEvery(interval: string): Promise<WorkflowBundleOption> {
  const bundled = await bundledWorkflows();
  const code = 'code' in bundled ? bundled.code : readFileSync(bundled.codePath, 'utf8');
  const ticking = code.replace("TICK_EVERY = '30 s'", `TICK_EVERY = '${interval}'`);
  if (ticking === code) throw new Error('the interval of the watch stands elsewhere');
  return { code: ticking };
}

/** Without a folder of the run nothing is kept: a mutation must not meet the workflows of the one before. */
async function bundleOnce(folder: string | undefined): Promise<WorkflowBundleOption> {
  if (folder === undefined) return bundleWorkflowCode(workflowsToTest);
  const codePath = join(folder, 'workflows.js');
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode(workflowsToTest);
    const written = `${codePath}.${String(process.pid)}`;
    writeFileSync(written, code);
    renameSync(written, codePath);
  }
  return { codePath };
}
