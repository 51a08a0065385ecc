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
import type { EventId, PartnerId } from '../src/domain/ids';
import type { IntentStatus } from '../src/domain/payment-intent';
import { PAYMENT_STATUS, refundUpdate, type MessageReply, type RefundInput } from './messages';
import { recordTransition } from './steps';
import { deliver } from './webhook-delivery';

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
    await announce(status, eventId, input.partnerId);
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
  return recordTransition.executeWithOptions({ summary: 'captured → refunded' }, [
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

async function announce(
  status: IntentStatus,
  eventId: EventId | null,
  partnerId: PartnerId,
): Promise<void> {
  if (status !== 'refunded') {
    setCurrentDetails(`Refused: the payment is ${status}. Nothing was moved.`);
    return;
  }
  upsertSearchAttributes([{ key: PAYMENT_STATUS, value: status }]);
  setCurrentDetails('Refunded.');
  if (eventId === null) return;
  setCurrentDetails('Refunded. Sending the webhook to the partner.');
  const isDone = await deliver(eventId, partnerId);
  setCurrentDetails(`Refunded. The webhook has ${isDone ? '' : 'not '}been dealt with.`);
}
