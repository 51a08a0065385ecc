// The workflow bundle of the worker: the first test file that needs it makes it, the others read
// it.
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
 * A worker that runs its workflows on the thread of the test, because a separate thread costs a
 * second of CPU in each world of each test. Stack trace queries do not work, and a workflow that
 * does not yield is not stopped.
 */
export async function createWorkerOnThisThread(options: WorkerOptions): Promise<Worker> {
  const worker = await Worker.create({ debugMode: true, reuseV8Context: true, ...options });
  // The SDK's hooks for stack trace queries look up the workflow of every promise in the process.
  globalHandlers.uninstall();
  return worker;
}

/**
 * Replays a history as `Worker.runReplayHistory` does, which leaves the SDK's hooks in the process
 * for all later test files.
 */
export async function replayHistory(
  ...given: Parameters<typeof Worker.runReplayHistory>
): Promise<void> {
  try {
    await Worker.runReplayHistory(...given);
  } finally {
    globalHandlers.uninstall();
  }
}

let bundle: Promise<WorkflowBundleOption> | undefined;

/** Takes some seconds in the first test file. */
export function bundledWorkflows(): Promise<WorkflowBundleOption> {
  bundle ??= bundleOnce(process.env['TEST_RUN_FOLDER']);
  return bundle;
}

export async function workflowCode(): Promise<string> {
  const bundled = await bundledWorkflows();
  return 'code' in bundled ? bundled.code : readFileSync(bundled.codePath, 'utf8');
}

/** The workflows with another tick interval of the restore watch. */
export async function workflowsTickingEvery(seconds: number): Promise<WorkflowBundleOption> {
  const interval = 'RESTORE_WATCH_EVERY_SECONDS = ';
  const code = await workflowCode();
  const ticking = code.replace(`${interval}30;`, `${interval}${String(seconds)};`);
  if (ticking === code) throw new Error(`the bundle does not contain ${interval}30`);
  return { code: ticking };
}

/**
 * Without a folder the bundle is not stored, because a mutation must not use the workflows of an
 * earlier one.
 */
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
