// How the outside speaks to a payment's workflow: queue names, workflow id, updates and signals
// (architecture, section 3). Imported by the client too, so it holds definitions only.
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { EventId, IntentId } from '../src/domain/ids';
import type { IntentStatus } from '../src/domain/payment-intent';
import type { TokenUse } from '../src/domain/transition';
import type { PaymentStart } from '../src/domain/payment-start';

export const PAYMENTS_QUEUE = 'payments';
/** Webhooks have workers' slots of their own, so that a slow partner delays no payment. */
export const WEBHOOKS_QUEUE = 'webhooks';

export const PAYMENT_WORKFLOW = 'paymentIntent';

/** One run per intent, whoever starts it: the id is the guarantee. */
export function paymentWorkflowId(intentId: IntentId): string {
  return intentId;
}

/** Delivers one event by itself: where its payment's run is gone, and for a replay. One at a time per event. */
export const WEBHOOK_WORKFLOW = 'webhookDelivery';

export function webhookWorkflowId(eventId: EventId): string {
  return `webhook:${eventId}`;
}

export type PaymentInput = PaymentStart;

export interface ConfirmRequest {
  readonly token: TokenUse;
  /** Wait until the payment is settled, or answer as soon as it is authorized. */
  readonly waitForOutcome: boolean;
}

/** Whatever this says, the HTTP answer is read from the rows (rule R2). */
export interface MessageReply {
  readonly status: IntentStatus;
}

export const confirmUpdate = defineUpdate<MessageReply, [ConfirmRequest]>('confirm');
export const cancelUpdate = defineUpdate<MessageReply>('cancel');
/** From the reconciler and operations: look at the row again and go on. */
export const resumeSignal = defineSignal('resume');

/** Equal ids are answered alike by Temporal, so a repeated request is the same update. */
export function confirmUpdateId(jtiHash: string): string {
  return `confirm:${jtiHash}`;
}
export function cancelUpdateId(nonce: string): string {
  return `cancel:${nonce}`;
}

/** The named type of a refusal by a validator. */
export const NOT_OPEN = 'IntentNotOpen';

export const PARTNER_ID = defineSearchAttributeKey('PartnerId', SearchAttributeType.KEYWORD);
export const CORRIDOR = defineSearchAttributeKey('Corridor', SearchAttributeType.KEYWORD);
export const PAYMENT_STATUS = defineSearchAttributeKey(
  'PaymentStatus',
  SearchAttributeType.KEYWORD,
);
export const NEEDS_ATTENTION = defineSearchAttributeKey('NeedsAttention', SearchAttributeType.BOOL);
