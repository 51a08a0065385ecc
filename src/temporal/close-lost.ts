// Asks the workflow of a payment whose row Postgres has lost to end (record 133).
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import {
  closeLostUpdate,
  paymentWorkflowId,
  type LostPaymentClosing,
} from '../../workflows/messages';
import type { IntentId } from '../domain/ids';
import { callUntil } from './connection';

/** `not_waiting`: it has not found yet that its row is missing. */
export type ClosingAnswer = 'closed' | 'no_workflow' | 'not_waiting';

/** @throws Error when it is not known what happened. To repeat it is safe. */
export async function requestClosing(
  client: Client,
  { intentId, ...closing }: LostPaymentClosing & { readonly intentId: IntentId },
  deadline: AbortSignal,
): Promise<ClosingAnswer> {
  const workflow = client.workflow.getHandle(paymentWorkflowId(intentId));
  try {
    await callUntil(client, deadline, () =>
      workflow.executeUpdate(closeLostUpdate, { args: [closing] }),
    );
    return 'closed';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'no_workflow';
    if (error instanceof WorkflowUpdateFailedError) return 'not_waiting';
    throw error;
  }
}
