// Asks a payment's workflow to take what operations declare: about its payout (docs/operations.md, `intents resolve`), or about a
// payment whose row Postgres has lost (record 133).
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

/** `not_waiting`: the workflow's guard refuses, the only failure that it has for this. */
type Answer<Reply> =
  | { readonly outcome: 'judged'; readonly reply: Reply }
  | { readonly outcome: 'not_waiting' }
  | { readonly outcome: 'no_workflow' };

/** `not_waiting`: its run asks the provider by itself, or the payment has ended: there is nothing to declare. */
export type ResolutionAnswer = Exclude<Answer<ResolutionReply>, { outcome: 'no_workflow' }>;

interface ResolutionRequest {
  readonly payment: PaymentStart;
  readonly resolution: Resolution;
  /** The present instant. */
  readonly now: Date;
}

const RETRY_AFTER_MS = 500;

/** @throws Error when it is not known what happened: Temporal is away, or the deadline came first */
export async function requestResolution(
  client: Client,
  { payment, resolution, now }: ResolutionRequest,
  deadline: AbortSignal,
): Promise<ResolutionAnswer> {
  const run = client.workflow.getHandle(paymentWorkflowId(payment.intentId));
  const ask = () =>
    answerTo(client, deadline, () =>
      run.executeUpdate(resolvePayoutUpdate, { args: [resolution] }),
    );
  const answer = await ask();
  if (answer.outcome !== 'no_workflow') return answer;
  try {
    await callUntil(client, deadline, () => startPayment(client, payment, now));
  } catch (error) {
    if (hasCompleted(error)) return { outcome: 'not_waiting' };
    throw error;
  }
  // The run was gone. A new one asks the provider first, and waits for operations a moment later.
  for (;;) {
    const again = await ask();
    if (again.outcome === 'judged') return again;
    await pause(RETRY_AFTER_MS, undefined, { signal: deadline });
  }
}

/**
 * `not_waiting`: it has not found yet that its row is missing.
 * @throws Error when it is not known what happened. To repeat it is safe.
 */
export async function requestClosing(
  client: Client,
  { intentId, ...closing }: LostPaymentClosing & { readonly intentId: IntentId },
  deadline: AbortSignal,
): Promise<'closed' | 'no_workflow' | 'not_waiting'> {
  const run = client.workflow.getHandle(paymentWorkflowId(intentId));
  const { outcome } = await answerTo(client, deadline, () =>
    run.executeUpdate(closeLostUpdate, { args: [closing] }),
  );
  return outcome === 'judged' ? 'closed' : outcome;
}

async function answerTo<Reply>(
  client: Client,
  deadline: AbortSignal,
  update: () => Promise<Reply>,
): Promise<Answer<Reply>> {
  try {
    return { outcome: 'judged', reply: await callUntil(client, deadline, update) };
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) return { outcome: 'not_waiting' };
    if (error instanceof WorkflowNotFoundError) return { outcome: 'no_workflow' };
    throw error;
  }
}
