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
} from '../../workflows/messages/messages';
import { callUntil } from './connection';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../domain/limits';

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
  { intent, ...input }: Omit<RefundInput, 'partnerId'> & { readonly intent: RefundedIntent },
  deadline: AbortSignal,
): Promise<MessageReply> {
  const { partnerId, corridor, amountUsdCents } = intent;
  const start = new WithStartWorkflowOperation(REFUND_WORKFLOW, {
    workflowId: refundWorkflowId(input.intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [{ ...input, partnerId }],
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
