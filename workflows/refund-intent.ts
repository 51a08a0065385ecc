// Gives a captured payment back (decision 16): one transition with its ledger transfer and webhook event, then the
// webhook. A workflow of its own, so that payments that are never refunded pay nothing for it (architecture, section 3).
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { IntentStatus } from '../src/domain/intents/payment-intent';
import {
  PAYMENT_STATUS,
  refundUpdate,
  type MessageReply,
  type RefundInput,
} from './messages/messages';
import { recordTransition, TRANSITION_SUMMARIES } from './steps';
import { announce } from './webhook-delivery';

interface Refund {
  status: IntentStatus;
  isDecided: boolean;
}

/** Answers with the status of the row, whoever moved it. As with a payment, a native cancel changes nothing. */
export async function refundIntent(input: RefundInput): Promise<IntentStatus> {
  const refund: Refund = { status: 'captured', isDecided: false };
  setHandler(refundUpdate, () => CancellationScope.nonCancellable(() => untilDecided(refund)));
  return CancellationScope.nonCancellable(async () => {
    const { status, eventId } = await record(input);
    refund.status = status;
    refund.isDecided = true;
    if (status === 'refunded') {
      upsertSearchAttributes([{ key: PAYMENT_STATUS, value: status }]);
      await announce('Refunded.', eventId, { partnerId: input.partnerId, isFast: false });
    } else {
      setCurrentDetails(`Refused: the payment is ${status}. Nothing was moved.`);
    }
    await condition(allHandlersFinished);
    return status;
  });
}

async function untilDecided(refund: Refund): Promise<MessageReply> {
  await condition(() => refund.isDecided);
  return { status: refund.status };
}

/** A row that is refunded already, by a run that is gone, is adopted with the event that it may still owe (rule R1). */
async function record({ intentId, requestId, actor, reason }: RefundInput) {
  setCurrentDetails('Giving the payment back to the holding account.');
  return recordTransition.executeWithOptions({ summary: TRANSITION_SUMMARIES.refund }, [
    {
      intentId,
      from: 'captured',
      event: 'refund',
      actor,
      requestId,
      ...(reason !== null && { reason }),
    },
  ]);
}
