// Makes sure that a payment which ended on somebody's word is being compared with what the provider says (architecture,
// section 3, sweep (c)).
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { OwedComparison } from '../ports/payout-comparisons';
import {
  COMPARISON_WORKFLOW,
  comparisonWorkflowId,
  CORRIDOR,
  PARTNER_ID,
  PAYMENTS_QUEUE,
  paymentWorkflowId,
} from '../../workflows/messages';
import { WORKFLOW_TASK_TIMEOUT } from './payment-start';

/**
 * What operations declared the payment's run compares; only where that run is gone a small one does, as for every payment that
 * was cancelled. Idempotent: of any number of calls one run per intent is open.
 */
export async function ensureComparison(client: Client, owed: OwedComparison): Promise<void> {
  const { intentId, partnerId, corridor, amountUsdCents, declared } = owed;
  const isByItsRun =
    declared !== 'cancelled' && (await isRunning(client, paymentWorkflowId(intentId)));
  if (isByItsRun) return;
  await client.workflow.start(COMPARISON_WORKFLOW, {
    workflowId: comparisonWorkflowId(intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [{ intentId, corridor, amountUsdCents, declared }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: `Whether the provider agrees that ${intentId} was ${declared}`,
    typedSearchAttributes: [
      { key: PARTNER_ID, value: partnerId },
      { key: CORRIDOR, value: corridor },
    ],
  });
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const run = await client.workflow.getHandle(workflowId).describe();
    return run.status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
