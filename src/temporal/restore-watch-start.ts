// Every worker keeps the restore watch running (decision 127).
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
/**
 * The state of a first restore watch. If Postgres has counted ticks before, the watch reports that
 * Temporal was lost.
 */
const NOTHING: WatchState = { ticks: 0, atMs: null };

/**
 * Idempotent: however often this is called, one restore watch is open.
 * @param baseline stored in its memo, so that a worker of another baseline recognises the namespace
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
    staticSummary: 'Notices when Postgres or Temporal was restored to an earlier time',
  });
}

/**
 * Whether the namespace has open workflows of a build of another baseline, which this build cannot
 * continue.
 */
export async function hasOtherBaseline(client: Client, baseline: string): Promise<boolean> {
  const watch = await describeWorkflow(client, RESTORE_WATCH_ID);
  return watch?.status.name === 'RUNNING' && watch.memo?.['baseline'] !== baseline;
}

interface RestoreWatchOptions {
  readonly client: Client;
  readonly baseline: string;
  readonly log: Log;
}

/** Repeats until the signal is aborted: a Temporal that lost its data has no restore watch. */
export async function keepRestoreWatch(
  { client, baseline, log }: RestoreWatchOptions,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    try {
      await callWithin(client, () => ensureRestoreWatch(client, baseline));
    } catch (error) {
      log.warn({ err: error }, 'the restore watch was not ensured; tried again in a minute');
    }
    await pause(ENSURE_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
