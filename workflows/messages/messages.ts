// Task queues, workflow ids, updates, signals and search attributes. The client imports this file
// too, so it holds definitions only.
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Corridor } from '../../src/corridors/names';
import type { Resolution } from '../../src/domain/intents/manual-resolution';
import type { EventId, IntentId, PartnerId } from '../../src/domain/ids';
import type { IntentStatus } from '../../src/domain/intents/payment-intent';
import type { TokenUse } from '../../src/domain/intents/transition';
import type { UsdCents } from '../../src/domain/money';

export const PAYMENTS_QUEUE = 'payments';
/** Calls to a provider have slots of their own: a slow provider delays no other corridor. */
export function payoutsQueue(corridor: Corridor): string {
  return `payouts-${corridor}`;
}
/**
 * Webhooks to slow endpoints and all retries have slots of their own: a slow partner delays no
 * payment.
 */
export const WEBHOOKS_QUEUE = 'webhooks';
/** The restore watch has slots of its own: it ticks even while payments use all of theirs. */
export const RESTORE_WATCH_QUEUE = 'restore-watch';

export const PAYMENT_WORKFLOW = 'paymentIntent';

/** The id guarantees one open workflow per intent. */
export function paymentWorkflowId(intentId: IntentId): string {
  return intentId;
}

/**
 * Delivers one event if the payment's workflow is gone, and for a replay. One at a time per event.
 */
export const WEBHOOK_WORKFLOW = 'webhookDelivery';

export function webhookWorkflowId(eventId: EventId): string {
  return `webhook:${eventId}`;
}

/** Rechecks a manual resolution if the payment's workflow cannot. One at a time per intent. */
export const RECHECK_WORKFLOW = 'payoutRecheck';

export function recheckWorkflowId(intentId: IntentId): string {
  return `recheck:${intentId}`;
}

/** Compares the counts of Postgres and Temporal (decision 127). It never ends. */
export const RESTORE_WATCH_WORKFLOW = 'restoreWatch';
export const RESTORE_WATCH_ID = 'restore-watch';

/**
 * Refunds a captured payment (decision 16). One at a time per intent, so that a repeat joins the
 * first.
 */
export const REFUND_WORKFLOW = 'refundIntent';

export function refundWorkflowId(intentId: IntentId): string {
  return `refund:${intentId}`;
}

export interface RefundInput {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  readonly corridor: Corridor;
  readonly amountUsdCents: UsdCents;
  /** Stored with the refund, so that a caller can see whether its own request made it. */
  readonly requestId: string;
  /** The operator's name. */
  readonly actor: string;
  readonly reason: string | null;
}

/** Answered once the row is written, before the webhook. The row says which request refunded. */
export const refundUpdate = defineUpdate<MessageReply>('refund');

export interface ConfirmRequest {
  readonly token: TokenUse;
  /** True: answer when the payment is settled. False: answer when it is authorized. */
  readonly waitForOutcome: boolean;
}

/** A hint only: the HTTP answer is read from the rows (rule R2). */
export interface MessageReply {
  readonly status: IntentStatus;
}

export const confirmUpdate = defineUpdate<MessageReply, [ConfirmRequest]>('confirm');
export const cancelUpdate = defineUpdate<MessageReply>('cancel');
export type { Resolution };

export interface ResolutionReply extends MessageReply {
  /** Why it was rejected, in a sentence; null if it was written. */
  readonly rejection: string | null;
}

export const resolvePayoutUpdate = defineUpdate<ResolutionReply, [Resolution]>('resolvePayout');

/** An operator's confirm has no token. The audit trail stores its operator and reason. */
export interface OperatorConfirm {
  readonly actor: string;
  readonly reason: string;
}

/** Ignored without operator and reason (decision 131): Temporal's CLI can send any argument. */
export const operatorConfirmSignal = defineSignal<[OperatorConfirm]>('confirm');
/**
 * Sent by an operator, not by the workflow repairer: only it makes the workflow query after an
 * amount mismatch.
 */
export const BY_OPERATIONS = 'operations';

/**
 * Makes the workflow read its row and go on. Sent by the workflow repairer, or by an operator
 * (`BY_OPERATIONS`).
 */
export const resumeSignal = defineSignal<[by?: typeof BY_OPERATIONS]>('resume');

/** Temporal answers updates of one id alike, so a repeated request joins the first. */
export function confirmUpdateId(jtiHash: string, anewFor?: string): string {
  return anewFor === undefined ? `confirm:${jtiHash}` : `confirm:${jtiHash}:${anewFor}`;
}
export function cancelUpdateId(nonce: string): string {
  return `cancel:${nonce}`;
}

/**
 * Ends a workflow whose row is lost, once an operator has found out what happened to the payment.
 */
export interface LostPaymentClosing {
  readonly actor: string;
  readonly evidence: string;
}

/** Answers whether the operator may: the approval is spent by it. */
export const closeLostUpdate = defineUpdate<boolean, [LostPaymentClosing]>('closeLost');

/** Failure types with which validators reject an update. */
export const NOT_OPEN = 'IntentNotOpen';
export const NOT_WAITING = 'NotWaitingForOperations';
export const ROW_NOT_MISSING = 'RowNotMissing';
export const MALFORMED = 'MalformedMessage';

export const HISTORY_METRIC = 'payment_history_events';
export const BEGUN_METRIC = 'payouts_begun_total';

/** Failure types that end a workflow. */
export const NOT_A_PAYMENT = 'NotAPayment';
export const CLOSED_BY_OPERATIONS = 'ClosedByOperations';

export const PARTNER_ID = defineSearchAttributeKey('PartnerId', SearchAttributeType.KEYWORD);
export const CORRIDOR = defineSearchAttributeKey('Corridor', SearchAttributeType.KEYWORD);
export const PAYMENT_STATUS = defineSearchAttributeKey(
  'PaymentStatus',
  SearchAttributeType.KEYWORD,
);
export const NEEDS_ATTENTION = defineSearchAttributeKey('NeedsAttention', SearchAttributeType.BOOL);

/** The memo with the attributes that the namespace refused when the workflow was started. */
export const OMITTED_ATTRIBUTES = 'omitted_search_attributes';
