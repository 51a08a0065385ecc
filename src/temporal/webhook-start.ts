// Makes sure that an owed webhook event has a run that delivers it (architecture, section 3, sweep (b)).
import type { Client } from '@temporalio/client';
import type { ClaimedWebhook } from '../ports/webhook-store';
import {
  PARTNER_ID,
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages';
import { WORKFLOW_TASK_TIMEOUT } from './payment-start';

/**
 * By a small run of its own, whatever the run that wrote the event is doing: it may be gone, or asleep until a time that
 * was given before a replay. Two who deliver one event are harmless, since its lease lets one of them send.
 * Idempotent: of any number of calls one such run per event is open.
 */
export async function ensureDelivery(
  client: Client,
  { eventId, intentId, partnerId }: Pick<ClaimedWebhook, 'eventId' | 'intentId' | 'partnerId'>,
): Promise<void> {
  await client.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId: webhookWorkflowId(eventId),
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId, partnerId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: `Webhook ${eventId} of ${intentId}`,
    typedSearchAttributes: [{ key: PARTNER_ID, value: partnerId }],
  });
}
