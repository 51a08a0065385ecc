// Makes sure that an owed webhook event is being delivered (architecture, section 3, sweep (b)).
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { OwedEvent } from '../ports/payment-sweep';
import {
  PAYMENTS_QUEUE,
  paymentWorkflowId,
  refundWorkflowId,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages';

/**
 * The run that wrote an event delivers it, the payment's or its refund's; only where that run is gone a small one does it.
 * Idempotent: of any number of calls one run per event is open.
 */
export async function ensureDelivery(
  client: Client,
  { eventId, intentId, isOfRefund }: OwedEvent,
): Promise<void> {
  const writer = isOfRefund ? refundWorkflowId(intentId) : paymentWorkflowId(intentId);
  if (await isRunning(client, writer)) return;
  await client.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId: webhookWorkflowId(eventId),
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Webhook ${eventId} of ${intentId}, whose run is gone`,
  });
}

export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const run = await client.workflow.getHandle(workflowId).describe();
    return run.status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
