// Why a payment needs an operator: rows of closed kinds, each with a sentence for people. Decisions
// read the kind, never the sentence.
import type { FindingKind } from '../reconciliation';
import type { IntentStatus } from './payment-intent';

/** A payment has at most one open row of a kind. */
export interface Attention {
  readonly kind: AttentionKind;
  readonly sentence: string;
}

/** What a reconciliation finds out about a payment. */
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
  | FoundKind;

type Ends = 'any status' | 'captured' | 'refunded' | 'no status';

interface KindRules {
  /** Which new status of the payment ends it. Migration 0002 holds the same table. */
  readonly endedBy: Ends;
  /**
   * What else ends it. An operator acknowledges any kind of a payment that is over; `resume`:
   * `payctl intents resume --after-restore`; `reconciliation`: a later one that covers the payment
   * and no longer finds it.
   */
  readonly alsoBy?: 'resume' | 'reconciliation';
}

const OF_PAYMENT: KindRules = { endedBy: 'any status' };
const FOUND: KindRules = { endedBy: 'no status', alsoBy: 'reconciliation' };

/** The one table of what ends which kind. */
export const ATTENTION_ENDS: Readonly<Record<AttentionKind, KindRules>> = {
  payout_unknown: OF_PAYMENT,
  payout_pending: OF_PAYMENT,
  payout_differs: OF_PAYMENT,
  may_be_paid: OF_PAYMENT,
  funds_short: OF_PAYMENT,
  row_contradicts: OF_PAYMENT,
  history_long: OF_PAYMENT,
  resolution_contradicted: OF_PAYMENT,
  /**
   * The open payment's workflow has completed, or may have completed and been deleted by Temporal.
   * **Danger: double payment.** A database was restored, and only that workflow knew the outcome:
   * another one could pay a payment that was reported failed. While it is open, no process starts a
   * workflow for the payment, and no statement authorizes it, debits it or records a sending.
   */
  workflow_gone: { endedBy: 'no status', alsoBy: 'resume' },
  paid_not_captured: { ...FOUND, endedBy: 'captured' },
  captured_not_paid: { ...FOUND, endedBy: 'refunded' },
  amount_differs: FOUND,
  corridor_differs: FOUND,
  paid_twice: FOUND,
  key_unknown: FOUND,
};

export const ATTENTION_KINDS = Object.keys(ATTENTION_ENDS) as readonly AttentionKind[];

/** @param row the status of the open row */
export function workflowGone(row: IntentStatus): Attention {
  return {
    kind: 'workflow_gone',
    sentence: `The workflow has completed or is gone, but the row says ${row}. Was a database restored?`,
  };
}
