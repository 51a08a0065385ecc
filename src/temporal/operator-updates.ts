// Sends the decisions of operators to a payment's workflow: a manual resolution of its payout
// (docs/operations.md, `intents resolve`), or the closing of a payment whose row Postgres has lost
// (decision 133).
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import type { IntentId } from '../domain/ids';
import type { PaymentStart } from '../domain/intents/payment-start';
import {
  closeLostUpdate,
  paymentWorkflowId,
  resolvePayoutUpdate,
  type LostPaymentClosing,
  type Resolution,
  type ResolutionReply,
} from '../../workflows/messages/messages';
import { callUntil } from './connection';
import { hasCompleted, startPayment } from './payment-start';

export type { Resolution };

/**
 * `not_waiting`: the workflow's guard rejected the update, which is the only way in which the
 * update fails.
 */
type Answer<Reply> =
  | { readonly outcome: 'verified'; readonly reply: Reply }
  | { readonly outcome: 'not_waiting' }
  | { readonly outcome: 'no_workflow' };

/**
 * `not_waiting`: the workflow still queries the provider itself, or the payment is terminal, so
 * there is nothing to resolve.
 */
export type ResolutionAnswer = Exclude<Answer<ResolutionReply>, { outcome: 'no_workflow' }>;

interface ResolutionRequest {
  readonly payment: PaymentStart;
  readonly resolution: Resolution;
  /** The present instant. */
  readonly now: Date;
}

const RETRY_AFTER_MS = 500;

/** @throws Error when the outcome is unknown: Temporal is away, or the deadline came first */
export async function requestResolution(
  client: Client,
  { payment, resolution, now }: ResolutionRequest,
  deadline: AbortSignal,
): Promise<ResolutionAnswer> {
  const workflow = client.workflow.getHandle(paymentWorkflowId(payment.intentId));
  const request = () =>
    answerTo(client, deadline, () =>
      workflow.executeUpdate(resolvePayoutUpdate, { args: [resolution] }),
    );
  const answer = await request();
  if (answer.outcome !== 'no_workflow') return answer;
  try {
    await callUntil(client, deadline, () => startPayment(client, payment, now));
  } catch (error) {
    if (hasCompleted(error)) return { outcome: 'not_waiting' };
    throw error;
  }
  // The workflow was gone. The new one queries the provider first, and accepts a resolution a
  // moment later.
  for (;;) {
    const again = await request();
    if (again.outcome === 'verified') return again;
    await pause(RETRY_AFTER_MS, undefined, { signal: deadline });
  }
}

/**
 * `not_waiting`: the workflow has not noticed yet that its row is missing.
 * @throws Error when the outcome is unknown. To repeat it is safe.
 */
export async function requestClosing(
  client: Client,
  { intentId, ...closing }: LostPaymentClosing & { readonly intentId: IntentId },
  deadline: AbortSignal,
): Promise<'closed' | 'not_permitted' | 'no_workflow' | 'not_waiting'> {
  const workflow = client.workflow.getHandle(paymentWorkflowId(intentId));
  const answer = await answerTo(client, deadline, () =>
    workflow.executeUpdate(closeLostUpdate, { args: [closing] }),
  );
  if (answer.outcome !== 'verified') return answer.outcome;
  return answer.reply ? 'closed' : 'not_permitted';
}

async function answerTo<Reply>(
  client: Client,
  deadline: AbortSignal,
  update: () => Promise<Reply>,
): Promise<Answer<Reply>> {
  try {
    return { outcome: 'verified', reply: await callUntil(client, deadline, update) };
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) return { outcome: 'not_waiting' };
    if (error instanceof WorkflowNotFoundError) return { outcome: 'no_workflow' };
    throw error;
  }
}
