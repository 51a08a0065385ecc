// How far a payment's workflow has come, by Temporal's own count of its events.
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { PaymentStart } from '../domain/payment-start';
import { paymentWorkflowId } from '../../workflows/messages';

/**
 * `asleep`: open, and no task of it was ever scheduled, so that it has confirmed and cancelled nothing. `awake`: open. `none`: not open,
 * or not there.
 */
export type Progress = 'asleep' | 'awake' | 'none';

/** Its start. With a start delay nothing follows before the delay is over, or a message comes. */
const EVENTS_OF_A_SLEEPER = 1;

export async function readProgress(client: Client, payment: PaymentStart): Promise<Progress> {
  try {
    const workflow = client.workflow.getHandle(paymentWorkflowId(payment.intentId));
    const { status, historyLength } = await workflow.describe();
    if (status.name !== 'RUNNING') return 'none';
    return historyLength === EVENTS_OF_A_SLEEPER ? 'asleep' : 'awake';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'none';
    throw error;
  }
}
