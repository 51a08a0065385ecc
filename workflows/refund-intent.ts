// Refunds a captured payment (decision 16): one transition with its ledger transfer and webhook
// event, then the webhook. A workflow of its own, so that other payments carry no cost for it.
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { IntentStatus } from '../src/domain/intents/payment-intent';
import { returnedReason } from '../src/domain/intents/transition';
import {
  PAYMENT_STATUS,
  refundUpdate,
  type MessageReply,
  type RefundInput,
} from './messages/messages';
import { writeSearchAttributes } from './messages/search-attributes';
import { hasMoneyReturned, recordTransition, TRANSITION_SUMMARIES } from './steps';
import { announce } from './webhook-delivery';

interface Refund {
  status: IntentStatus;
  isDecided: boolean;
}

/** Returns the status of the row. Temporal's own cancel has no effect, as with a payment. */
export async function refundIntent(input: RefundInput): Promise<IntentStatus> {
  const refund: Refund = { status: 'captured', isDecided: false };
  setHandler(refundUpdate, () => CancellationScope.nonCancellable(() => untilDecided(refund)));
  return CancellationScope.nonCancellable(async () => {
    const { status, eventId } = await record(input);
    refund.status = status;
    refund.isDecided = true;
    if (status === 'refunded') {
      writeSearchAttributes([{ key: PAYMENT_STATUS, value: status }]);
      await announce('Refunded.', eventId, { partnerId: input.partnerId, isFast: false });
    } else {
      setCurrentDetails(`Not refunded: the payment is ${status}. No money was moved.`);
    }
    await condition(allHandlersFinished);
    return status;
  });
}

async function untilDecided(refund: Refund): Promise<MessageReply> {
  await condition(() => refund.isDecided);
  return { status: refund.status };
}

/** If another execution refunded the row, its status and pending event are adopted (rule R1). */
async function record(input: RefundInput) {
  const { intentId, corridor, amountUsdCents, requestId, actor } = input;
  setCurrentDetails('Refunding the payment to the holding account.');
  const payout = { intentId, corridor, amountUsdCents };
  const isReturned = await hasMoneyReturned(payout).catch(() => false);
  const reason = isReturned ? returnedReason(input.reason) : input.reason;
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
