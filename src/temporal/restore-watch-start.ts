// Starts the restore watch (decision 127), of which a namespace has one.
import type { Client } from '@temporalio/client';
import {
  RESTORE_WATCH_ID,
  RESTORE_WATCH_QUEUE,
  RESTORE_WATCH_WORKFLOW,
} from '../../workflows/messages/messages';
import type { WatchState } from '../domain/restore';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../domain/limits';

/**
 * The state of a first restore watch. If Postgres has counted ticks before, the watch reports that
 * Temporal was lost.
 */
const NOTHING: WatchState = { ticks: 0, atMs: null };

/**
 * Idempotent: however often this is called, one restore watch is open.
 * @param memo stored only by the call that starts it
 */
export async function ensureRestoreWatch(
  client: Client,
  memo: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await client.workflow.start(RESTORE_WATCH_WORKFLOW, {
    workflowId: RESTORE_WATCH_ID,
    taskQueue: RESTORE_WATCH_QUEUE,
    args: [NOTHING],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    memo: { ...memo },
    staticSummary: 'Notices when Postgres or Temporal was restored to an earlier time',
  });
}
