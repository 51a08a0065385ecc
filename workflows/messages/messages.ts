// How the outside speaks to a payment's workflow: queue names, workflow id, updates and signals
// (architecture, section 3). Imported by the client too, so it holds definitions only.
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { ResolvedOutcome } from '../../src/domain/intents/manual-resolution';
import type { EventId, IntentId, PartnerId } from '../../src/domain/ids';
import type { IntentStatus } from '../../src/domain/intents/payment-intent';
import type { TokenUse } from '../../src/domain/intents/transition';

export const PAYMENTS_QUEUE = 'payments';
/** Webhooks to slow endpoints, and all retries, have workers' slots of their own, so that a slow partner delays no payment. */
export const WEBHOOKS_QUEUE = 'webhooks';
/** The restore watch has slots of its own: it counts also while payments take all of theirs. */
export const RESTORE_WATCH_QUEUE = 'restore-watch';

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

/** Compares how a payment ended with what the provider says, where the payment's run does not. One at a time per intent. */
export const RECHECK_WORKFLOW = 'payoutRecheck';

export function recheckWorkflowId(intentId: IntentId): string {
  return `compare:${intentId}`;
}

/** Compares what Postgres and Temporal have counted (decision 127). One run, for ever. */
export const RESTORE_WATCH_WORKFLOW = 'restoreWatch';
export const RESTORE_WATCH_ID = 'restore-watch';

/** Gives a captured payment back (decision 16): one run at a time per intent, so that a repeat finds what was done. */
export const REFUND_WORKFLOW = 'refundIntent';

export function refundWorkflowId(intentId: IntentId): string {
  return `refund:${intentId}`;
}

export interface RefundInput {
  readonly intentId: IntentId;
  readonly partnerId: PartnerId;
  /** Kept with the refund, so that of all who ask the one whose it is can tell. */
  readonly requestId: string;
  /** Who asks: the operator's name. */
  readonly actor: string;
  readonly reason: string | null;
}

/** Answered as soon as the row is decided, before the webhook is delivered. Whose refund it was stands in the row. */
export const refundUpdate = defineUpdate<MessageReply>('refund');

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
/** What operations declare a payout to be, and by what evidence (architecture, section 7, `intents resolve`). */
export interface Resolution {
  readonly outcome: ResolvedOutcome;
  /** Who declares it: the operator's name. */
  readonly actor: string;
  readonly evidence: string;
  /** That the provider will never call it declined, although it has called it paid or pending: declined is accepted all the same. */
  readonly isProviderGone?: boolean;
}

export interface ResolutionReply extends MessageReply {
  /** Why it was not accepted, in a sentence; null when it was. */
  readonly rejection: string | null;
}

export const resolvePayoutUpdate = defineUpdate<ResolutionReply, [Resolution]>('resolvePayout');

/** A confirm by operations: no token, and in the audit trail by its operator and reason. */
export interface OperatorConfirm {
  readonly actor: string;
  readonly reason: string;
}

/** Ignored unless operator and reason are in it (record 131). Anybody with Temporal's CLI can send anything. */
export const operatorConfirmSignal = defineSignal<[OperatorConfirm]>('confirm');
/** From operations, not from the reconciler: only people have the provider asked again about a contrary answer. */
export const BY_OPERATIONS = 'operations';

/** Look at the row again and go on: a reminder by the reconciler, or `BY_OPERATIONS`. */
export const resumeSignal = defineSignal<[by?: typeof BY_OPERATIONS]>('resume');

/** Equal ids are answered alike by Temporal, so a repeated request is the same update. */
export function confirmUpdateId(jtiHash: string): string {
  return `confirm:${jtiHash}`;
}
export function cancelUpdateId(nonce: string): string {
  return `cancel:${nonce}`;
}

/** Ends a workflow whose row Postgres has lost, once operations know what became of the payment. */
export interface LostPaymentClosing {
  readonly actor: string;
  readonly evidence: string;
}

export const closeLostUpdate = defineUpdate<null, [LostPaymentClosing]>('closeLost');

/** The named types of rejections by validators. */
export const NOT_OPEN = 'IntentNotOpen';
export const NOT_WAITING = 'NotWaitingForOperations';
export const ROW_NOT_MISSING = 'RowNotMissing';
export const MALFORMED = 'MalformedMessage';

/** The named types of failures that end a workflow. */
export const NOT_A_PAYMENT = 'NotAPayment';
export const CLOSED_BY_OPERATIONS = 'ClosedByOperations';

export const PARTNER_ID = defineSearchAttributeKey('PartnerId', SearchAttributeType.KEYWORD);
export const CORRIDOR = defineSearchAttributeKey('Corridor', SearchAttributeType.KEYWORD);
export const PAYMENT_STATUS = defineSearchAttributeKey(
  'PaymentStatus',
  SearchAttributeType.KEYWORD,
);
export const NEEDS_ATTENTION = defineSearchAttributeKey('NeedsAttention', SearchAttributeType.BOOL);
