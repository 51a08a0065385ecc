// The workflows as the worker bundles them: bundled by the first test file of a run that needs them, and read by the others.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundleWorkflowCode,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { workflowsToTest } from '../servers/quiet-temporal';

/**
 * A worker that runs its workflows on the thread of the test: a thread of their own costs a second of CPU to start, in each world
 * of each test. Stack trace queries find nothing, and nothing ends a workflow that does not yield.
 */
export async function createWorkerOnThisThread(options: WorkerOptions): Promise<Worker> {
  const worker = await Worker.create({ debugMode: true, reuseV8Context: true, ...options });
  // The SDK's hooks search the workflow of every promise in the process, for stack trace queries.
  globalHandlers.uninstall();
  return worker;
}

let bundle: Promise<WorkflowBundleOption> | undefined;

/** Takes some seconds in the first file. */
export function bundledWorkflows(): Promise<WorkflowBundleOption> {
  bundle ??= bundleOnce(process.env['TEST_RUN_FOLDER']);
  return bundle;
}

export async function workflowCode(): Promise<string> {
  const bundled = await bundledWorkflows();
  return 'code' in bundled ? bundled.code : readFileSync(bundled.codePath, 'utf8');
}

/** The workflows with a watch over restores that ticks that often. */
export async function workflowsTickingEvery(interval: string): Promise<WorkflowBundleOption> {
  const code = await workflowCode();
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
