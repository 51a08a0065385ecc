// Detects by its history that a payment waits for stopped payouts. A query would not reach a
// workflow before its first task.
import type { WorkflowHandle } from '@temporalio/client';

/**
 * For a confirmed payment while payouts are stopped: its payout activity has ended, and the
 * workflow has handled the result.
 */
export async function isWaitingForPayouts(
  run: Pick<WorkflowHandle, 'fetchHistory'>,
): Promise<boolean> {
  const { events } = await run.fetchHistory();
  const ended = events?.findLastIndex((event) =>
    Boolean(event.activityTaskCompletedEventAttributes),
  );
  const dealt = events?.findLastIndex((event) =>
    Boolean(event.workflowTaskCompletedEventAttributes),
  );
  return ended !== undefined && dealt !== undefined && ended >= 0 && dealt > ended;
}
