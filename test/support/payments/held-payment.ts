// Whether a payment waits because payouts are stopped, by its history: no query reaches a run before its first task.
import type { WorkflowHandle } from '@temporalio/client';

/** Its payout activity has ended and the run has dealt with that. Of a confirmed payment, while payouts are stopped. */
export async function isHeldUp(run: Pick<WorkflowHandle, 'fetchHistory'>): Promise<boolean> {
  const { events } = await run.fetchHistory();
  const ended = events?.findLastIndex((event) =>
    Boolean(event.activityTaskCompletedEventAttributes),
  );
  const dealt = events?.findLastIndex((event) =>
    Boolean(event.workflowTaskCompletedEventAttributes),
  );
  return ended !== undefined && dealt !== undefined && ended >= 0 && dealt > ended;
}
