// Makes sure that a payment which ended on somebody's word is being compared with what the provider says (architecture,
// section 3, sweep (c)).
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
 * What operations declared the payment's run compares; only where that run is gone a small one does, as for every payment that
 * was cancelled. Idempotent: of any number of calls one run per intent is open.
 */
export async function ensureRecheck(client: Client, owed: PendingRecheck): Promise<void> {
  const { intentId, partnerId, corridor, amountUsdCents, resolvedAs } = owed;
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
