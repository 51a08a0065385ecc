// Why a payment needs an operator: rows of closed kinds, each with a sentence for people. Decisions
// read the kind, never the sentence.
import type { FindingKind } from '../reconciliation';
import type { IntentStatus } from './payment-intent';

/** A payment has at most one open row of a kind. */
export interface Attention {
  readonly kind: AttentionKind;
  readonly sentence: string;
}

/** What a reconciliation finds out about a payment; `returned` is also what queries find out. */
type FoundKind = Exclude<FindingKind, 'corridor_missing'>;

export type AttentionKind =
  | 'payout_unknown'
  | 'payout_pending'
  | 'payout_differs'
  | 'may_be_paid'
  | 'funds_short'
  | 'row_contradicts'
  | 'history_long'
  | 'resolution_contradicted'
  | 'workflow_gone'
  /** The payout has cost more than its bound. */
  | 'cost'
  | FoundKind;

/** `given_back`: failed, cancelled, expired or refunded. */
type EndingStatus = 'any' | 'given_back' | 'captured' | 'refunded' | 'none';

/**
 * Which new status of the payment ends which kind; migration 0002 holds the same table. An operator
 * acknowledges any kind of a payment that is over.
 */
export const ATTENTION_ENDS: Readonly<Record<AttentionKind, EndingStatus>> = {
  payout_unknown: 'any',
  payout_pending: 'any',
  payout_differs: 'any',
  // A capture brings nothing back.
  returned: 'given_back',
  may_be_paid: 'any',
  funds_short: 'any',
  row_contradicts: 'any',
  history_long: 'any',
  resolution_contradicted: 'any',
  /**
   * Ended by `payctl intents resume --after-restore`.
   *
   * The open payment's workflow has completed, or may have completed and been deleted by Temporal.
   * **Danger: double payment.** A database was restored, and only that workflow knew the outcome:
   * another one could pay a payment that was reported failed. While it is open, no process starts a
   * workflow for the payment, and no statement authorizes it, debits it or records a sending.
   */
  workflow_gone: 'none',
  // Ended also by a later reconciliation that covers the payment and no longer finds it.
  paid_not_captured: 'captured',
  captured_not_paid: 'refunded',
  cost: 'none',
  amount_differs: 'none',
  corridor_differs: 'none',
  paid_twice: 'none',
  key_unknown: 'none',
};

export const ATTENTION_KINDS = Object.keys(ATTENTION_ENDS) as readonly AttentionKind[];

/** @param row the status of the open row */
export function workflowGone(row: IntentStatus): Attention {
  return {
    kind: 'workflow_gone',
    sentence: `The workflow has completed or is gone, but the row says ${row}. Was a database restored?`,
  };
}
