// As in a Temporal that was restored to before it, or as operations delete it: there is no trace of the run.
import { until } from '../../src/dev/until';
import type { LiveWorld } from './live-world';

/** @throws when it is still there after a while */
export async function vanish(
  { client }: Pick<LiveWorld, 'client'>,
  workflowId: string,
): Promise<void> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const run = client.workflow.getHandle(workflowId, runId);
  await client.workflowService.deleteWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
  });
  // A run that has completed is gone within a minute, one that has not at once.
  const isGone = () =>
    run.describe().then(
      () => false,
      () => true,
    );
  if (await until(isGone, { timeoutMs: 90_000 })) return;
  throw new Error(`${workflowId} was deleted and is still there`);
}
