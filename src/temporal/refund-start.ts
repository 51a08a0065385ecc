// Asks the run that refunds an intent, and starts it where there is none (decision 16): one message for both, so that
// there is no moment in between.
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
import { WORKFLOW_TASK_TIMEOUT } from './payment-start';

const STORY = [
  'One refund, asked for by operations. The intent goes from **captured** to **refunded**, and the holding account is credited against what the provider of its corridor owes us. Then the partner is told by **webhook**.',
  'What it does now stands under *Current Details*.',
].join('\n\n');

type RefundedIntent = Pick<PaymentIntent, 'partnerId' | 'corridor' | 'amountUsdCents'>;

/**
 * Comes back when the row is decided, not when the webhook is delivered. Of any number of calls one run per intent is
 * open; whose request it was that moved the row, the row says.
 * @throws Error when it is not known what happened: Temporal is away, or the deadline came first
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
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
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
