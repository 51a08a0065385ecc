// Makes sure that a workflow rechecks a manually resolved payment against later provider answers
// (architecture, section 3, "Settlement").
import type { Client } from '@temporalio/client';
import type { PendingRecheck } from '../ports/payouts/rechecks';
import {
  RECHECK_WORKFLOW,
  recheckWorkflowId,
  CORRIDOR,
  PARTNER_ID,
  PAYMENTS_QUEUE,
  paymentWorkflowId,
} from '../../workflows/messages/messages';
import { describeWorkflow } from './connection';
import { WORKFLOW_TASK_TIMEOUT } from './payment-start';

/**
 * The payment's own workflow rechecks a manual resolution. Where that workflow is gone, and after
 * every cancelled payment, the small workflow payoutRecheck does. Idempotent: however often this is
 * called, one such workflow per intent is open.
 */
export async function ensureRecheck(client: Client, pending: PendingRecheck): Promise<void> {
  const { intentId, partnerId, corridor, amountUsdCents, resolvedAs } = pending;
  if (resolvedAs !== 'cancelled') {
    const payment = await describeWorkflow(client, paymentWorkflowId(intentId));
    if (payment?.status.name === 'RUNNING') return;
  }
  await client.workflow.start(RECHECK_WORKFLOW, {
    workflowId: recheckWorkflowId(intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [{ intentId, corridor, amountUsdCents, resolvedAs }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: `Whether the provider agrees that ${intentId} was ${resolvedAs}`,
    typedSearchAttributes: [
      { key: PARTNER_ID, value: partnerId },
      { key: CORRIDOR, value: corridor },
    ],
  });
}
