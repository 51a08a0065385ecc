// Has one webhook event sent now, because operations asked (decision 19).
import type { Client } from '@temporalio/client';
import type { EventId } from '../domain/ids';
import {
  PARTNER_ID,
  PAYMENTS_QUEUE,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages';
import { callUntil } from './connection';
import { WORKFLOW_TASK_TIMEOUT } from './payment-start';

interface ReplayedEvent {
  readonly eventId: EventId;
  readonly intentId: string;
  readonly partnerId: string;
}

/**
 * A run of the event that is open sleeps until its next attempt, hours perhaps, so it is followed by a new one at once. Of
 * two that send one finds that the other holds the event; a run that wrote the event and sleeps wakes up to find it done.
 * @throws Error when it is not known whether it was started: Temporal is away, or the deadline came first
 */
export async function startReplay(
  client: Client,
  { eventId, intentId, partnerId }: ReplayedEvent,
  deadline: AbortSignal,
): Promise<void> {
  await callUntil(client, deadline, () =>
    client.workflow.start(WEBHOOK_WORKFLOW, {
      workflowId: webhookWorkflowId(eventId),
      taskQueue: PAYMENTS_QUEUE,
      args: [eventId, partnerId],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      staticSummary: `Webhook ${eventId} of ${intentId}, replayed by operations`,
      typedSearchAttributes: [{ key: PARTNER_ID, value: partnerId }],
    }),
  );
}
