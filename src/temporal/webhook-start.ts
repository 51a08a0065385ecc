// Starts the small workflow that delivers one webhook event. The workflow that wrote the event may
// be gone, or may sleep until a time set before a replay. Two workflows for one event are harmless:
// the event's lease lets only one of them send.
import type { Client } from '@temporalio/client';
import type { EventId } from '../domain/ids';
import {
  PARTNER_ID,
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages/messages';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../domain/limits';

/**
 * Idempotent: however often this is called, one such workflow per event is open.
 * @param isReplay an operator wants the event sent now: an open workflow, which sleeps until its
 * next attempt, is replaced
 */
export async function startDelivery(
  client: Client,
  event: { readonly eventId: EventId; readonly intentId: string; readonly partnerId: string },
  { isReplay = false }: { readonly isReplay?: boolean } = {},
): Promise<void> {
  const { eventId, intentId, partnerId } = event;
  await client.workflow.start(WEBHOOK_WORKFLOW, {
    workflowId: webhookWorkflowId(eventId),
    taskQueue: PAYMENTS_QUEUE,
    args: [eventId, partnerId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: isReplay ? 'TERMINATE_EXISTING' : 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: `Webhook ${eventId} of ${intentId}${isReplay ? ', replayed by an operator' : ''}`,
    typedSearchAttributes: [{ key: PARTNER_ID, value: partnerId }],
  });
}
