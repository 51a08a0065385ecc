// Requests a refund from its workflow and starts the workflow where there is none (decision 16).
// One message does both, so that no failure can come between the two.
import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { formatUsd } from '../domain/money';
import type { PaymentIntent } from '../domain/intents/payment-intent';
import {
  CORRIDOR,
  PARTNER_ID,
  PAYMENTS_QUEUE,
  REFUND_WORKFLOW,
  refundUpdate,
  refundWorkflowId,
  type MessageReply,
  type RefundInput,
  RESTORE_WATCH_ID,
  RESTORE_WATCH_QUEUE,
  RESTORE_WATCH_WORKFLOW,
  WEBHOOK_WORKFLOW,
  webhookWorkflowId,
} from '../../workflows/messages/messages';
import { callUntil } from './connection';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../domain/limits';
import type { WatchState } from '../domain/restore';
import type { EventId } from '../domain/ids';

const STORY = [
  'One refund, requested by an operator. The intent goes from **captured** to **refunded**, and the holding account is credited against what the provider of its corridor owes us. Then a **webhook** notifies the partner.',
  '*Current Details* shows what it does now.',
].join('\n\n');

type RefundedIntent = Pick<PaymentIntent, 'partnerId' | 'corridor' | 'amountUsdCents'>;

/**
 * Resolves when the row is decided, not when the webhook is delivered. However often this is
 * called, one such workflow per intent is open; the row records which request moved it.
 * @throws Error when the outcome is unknown: Temporal is away, or the deadline came first
 */
export async function requestRefund(
  client: Client,
  {
    intent,
    ...input
  }: Omit<RefundInput, keyof RefundedIntent> & { readonly intent: RefundedIntent },
  deadline: AbortSignal,
): Promise<MessageReply> {
  const { partnerId, corridor, amountUsdCents } = intent;
  const start = new WithStartWorkflowOperation(REFUND_WORKFLOW, {
    workflowId: refundWorkflowId(input.intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [{ ...input, partnerId, corridor, amountUsdCents }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: `Refund of ${formatUsd(amountUsdCents)} from ${corridor} for ${partnerId}`,
    staticDetails: STORY,
    typedSearchAttributes: [
      { key: PARTNER_ID, value: partnerId },
      { key: CORRIDOR, value: corridor },
    ],
  });
  return callUntil(client, deadline, () =>
    client.workflow.executeUpdateWithStart(refundUpdate, {
      startWorkflowOperation: start,
      updateId: `refund:${input.requestId}`,
    }),
  );
}

// Starts the restore watch (decision 127), of which a namespace has one.

/**
 * The state of a first restore watch. If Postgres has counted ticks before, the watch reports that
 * Temporal was lost.
 */
const NOTHING: WatchState = { ticks: 0, atMs: null };

/**
 * Idempotent: however often this is called, one restore watch is open.
 * @param memo stored only by the call that starts it
 */
export async function ensureRestoreWatch(
  client: Client,
  memo: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await client.workflow.start(RESTORE_WATCH_WORKFLOW, {
    workflowId: RESTORE_WATCH_ID,
    taskQueue: RESTORE_WATCH_QUEUE,
    args: [NOTHING],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    memo: { ...memo },
    staticSummary: 'Notices when Postgres or Temporal was restored to an earlier time',
  });
}

// Starts the small workflow that delivers one webhook event. The workflow that wrote the event may
// be gone, or may sleep until a time set before a replay. Two workflows for one event are harmless:
// the event's lease lets only one of them send.

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
