// Makes sure that an owed webhook event is being delivered (architecture, section 3, sweep (b)).
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { IntentId } from '../domain/ids';
import type { OwedEvent } from '../ports/payment-sweep';
import {
  PAYMENTS_QUEUE,
  paymentWorkflowId,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages';

/**
 * The payment's own run delivers its event; only where that run is gone a small one does it. Idempotent: of any number
 * of calls one run per event is open.
 */
export async function ensureDelivery(
  client: Client,
  { eventId, intentId }: OwedEvent,
): Promise<void> {
  if (await isPaymentRunning(client, intentId)) return;
  await client.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId: webhookWorkflowId(eventId),
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Webhook ${eventId} of ${intentId}, whose run is gone`,
  });
}

async function isPaymentRunning(client: Client, intentId: IntentId): Promise<boolean> {
  try {
    const run = await client.workflow.getHandle(paymentWorkflowId(intentId)).describe();
    return run.status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
