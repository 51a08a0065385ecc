// Makes sure that a payment which ended on somebody's word is being compared with what the provider says (architecture,
// section 3, sweep (c)).
import type { Client } from '@temporalio/client';
import type { OwedComparison } from '../ports/payouts/rechecks';
import {
  COMPARISON_WORKFLOW,
  comparisonWorkflowId,
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
export async function ensureComparison(client: Client, owed: OwedComparison): Promise<void> {
  const { intentId, partnerId, corridor, amountUsdCents, declared } = owed;
  if (declared !== 'cancelled') {
    const payment = await describeWorkflow(client, paymentWorkflowId(intentId));
    if (payment?.status.name === 'RUNNING') return;
  }
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
