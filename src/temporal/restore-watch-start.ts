// Keeps the watch over restores running, from every worker (decision 127).
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  RESTORE_WATCH_ID,
  RESTORE_WATCH_QUEUE,
  RESTORE_WATCH_WORKFLOW,
} from '../../workflows/messages/messages';
import type { WatchState } from '../domain/restore';
import type { Log } from '../ports/log';
import { callWithin, describeWorkflow } from './connection';
import { WORKFLOW_TASK_TIMEOUT } from './payment-start';

const ENSURE_EVERY_MS = 60_000;
/** A run that knows of none before it: where Postgres has counted already, that is told. */
const NOTHING: WatchState = { ticks: 0, atMs: null };

/**
 * Idempotent: of any number of calls one run is open.
 * @param baseline kept with it, so that a worker of another baseline recognises the namespace
 */
export async function ensureRestoreWatch(client: Client, baseline: string): Promise<void> {
  await client.workflow.start(RESTORE_WATCH_WORKFLOW, {
    workflowId: RESTORE_WATCH_ID,
    taskQueue: RESTORE_WATCH_QUEUE,
    args: [NOTHING],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    memo: { baseline },
    staticSummary: 'Whether Postgres or Temporal was put back to an earlier time',
  });
}

/** Whether the namespace has open workflows that a build of another baseline started, which workflows of this one cannot follow. */
export async function hasOtherBaseline(client: Client, baseline: string): Promise<boolean> {
  const watch = await describeWorkflow(client, RESTORE_WATCH_ID);
  return watch?.status.name === 'RUNNING' && watch.memo?.['baseline'] !== baseline;
}

interface RestoreWatchOptions {
  readonly client: Client;
  readonly baseline: string;
  readonly log: Log;
}

/** Again and again until the signal is aborted: a Temporal that was lost has no such run. */
export async function keepRestoreWatch(
  { client, baseline, log }: RestoreWatchOptions,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    try {
      await callWithin(client, () => ensureRestoreWatch(client, baseline));
    } catch (error) {
      log.warn({ err: error }, 'the watch over restores was not ensured; tried again in a minute');
    }
    await pause(ENSURE_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
