// A payment as its run knows it: the status it believes, what was asked of it, and how it records and adopts (rule R1).
import { setCurrentDetails, upsertSearchAttributes, condition } from '@temporalio/workflow';
import type { DeclaredEnd } from '../src/domain/declared-payout';
import type { EventId } from '../src/domain/ids';
import {
  canAdopt,
  isSettled,
  nextStatus,
  type IntentEvent,
} from '../src/domain/intent-transitions';
import type { UsdCents } from '../src/domain/money';
import type { IntentStatus } from '../src/domain/payment-intent';
import type { PaymentStart } from '../src/domain/payment-start';
import type { IntentStanding, TokenUse, TransitionReport } from '../src/domain/transition';
import {
  NEEDS_ATTENTION,
  PAYMENT_STATUS,
  type LostPaymentClosing,
  type Resolution,
} from './messages';
import { withRow } from './missing-row';
import { readStanding, recordTransition, reportRecreatedRow, setAttention } from './steps';

/** Something a handler asked the one coroutine that writes the status. */
export interface Ask {
  readonly event: 'authorize' | 'cancel';
  readonly token?: TokenUse;
  /** Who asks, where it is not the payer or the partner: an operator. */
  readonly operator?: { readonly actor: string; readonly reason: string };
  isAnswered: boolean;
  /** Whether this very ask authorized the intent: only that confirm waits for the settlement. */
  isAuthorizer: boolean;
}

/** What operations declare about a payout, while it is judged and once it is accepted. */
export interface ResolutionAsk {
  readonly resolution: Resolution;
  isJudged: boolean;
  refusal: string | null;
  /** Declared declined, it may be written only while no attempt has begun since it was judged. */
  payoutAttempts: number | null;
}

export interface Payment {
  readonly input: PaymentStart;
  status: IntentStatus;
  /** The webhook event that tells of the status, if the partner wants one. */
  eventId: EventId | null;
  readonly asks: Ask[];
  isCancelAsked: boolean;
  /** How many cancels of it, once authorized, were carried out or could not be. */
  cancelsJudged: number;
  /** When the provider did not let one be carried out. */
  cancelRefusedAtMs: number;
  /** Whether this very run authorized it. Of what followed another's authorize it knows nothing. */
  isAuthorizedHere: boolean;
  /** Whether the debit was made with the authorize; false where nobody knows. */
  isDebited: boolean;
  /** No cancel is taken any more, unless payouts are stopped before it was begun. */
  isPayoutDecided: boolean;
  attention: string | null;
  resumes: number;
  /** Those of them that people sent. */
  resumesByOperations: number;
  /** Whether the payout waits for whoever knows its outcome, operations included. */
  isResolvable: boolean;
  resolving: ResolutionAsk | null;
  /** How often operations were judged. */
  judgements: number;
  /** Of the row that this workflow belongs to: another once the row was lost and created again. */
  createdAtMs: number;
  /** Postgres has lost it: the workflow waits for it. */
  isRowMissing: boolean;
  /** How often it was back. */
  rowReturns: number;
  /** Whether operations may close it: while it waits for its row, and not while that is read. */
  isClosable: boolean;
  closed: LostPaymentClosing | null;
  /** How often the deadline was put off: because of a stop for a restore, or the provider's answer. */
  delays: number;
}

export function openPayment(input: PaymentStart): Payment {
  return {
    input,
    status: input.status,
    eventId: null,
    asks: [],
    isCancelAsked: false,
    cancelsJudged: 0,
    cancelRefusedAtMs: -Infinity,
    isAuthorizedHere: false,
    isDebited: false,
    isPayoutDecided: false,
    attention: null,
    resumes: 0,
    resumesByOperations: 0,
    isResolvable: false,
    resolving: null,
    judgements: 0,
    createdAtMs: input.createdAtMs,
    isRowMissing: false,
    rowReturns: 0,
    isClosable: false,
    closed: null,
    delays: 0,
  };
}

export interface Change {
  readonly event: IntentEvent;
  /** `payer`, `partner`, `system` or an operator's name. */
  readonly actor: string;
  readonly reason?: string;
  readonly token?: TokenUse;
  readonly payoutAttempts?: number;
  readonly declared?: DeclaredEnd;
  readonly debitUsdCents?: UsdCents;
  readonly isKnownUnpaid?: boolean;
}

/**
 * Compares and sets, then adopts what the row says: `did` and `same` go on, a row that is further along is picked up
 * and not contradicted. A contrary row is left alone and the payment's status stays what it was.
 */
export async function record(payment: Payment, change: Change): Promise<TransitionReport> {
  const from = payment.status;
  const target = nextStatus(from, change.event);
  if (target === undefined) throw new Error(`no edge ${change.event} from ${from}`);
  const report = await recordOwn(payment, change, target);
  if (report.outcome === 'other_payment') {
    await raiseAttention(payment, OTHER_PAYMENT);
    return report;
  }
  if (canAdopt({ from, target, row: report.status })) adopt(payment, report);
  if (report.isDebited === true) payment.isDebited = true;
  const { outcome } = report;
  // `same`: a repeat of this very step, whose first answer was lost.
  if (target === 'authorized' && (outcome === 'did' || outcome === 'same')) {
    payment.isAuthorizedHere = true;
  }
  return report;
}

const OTHER_PAYMENT =
  'The row names another amount or corridor than this workflow, so nothing was moved: a database was restored. See docs/restore.md.';

/** A row of the same payment that was created again is this workflow's: that is reported once, and then it goes on. */
async function recordOwn(
  payment: Payment,
  change: Change,
  target: IntentStatus,
): Promise<TransitionReport> {
  const { input, status: from } = payment;
  const { intentId, amountUsdCents, corridor } = input;
  const step = () => {
    const terms = { amountUsdCents, corridor, createdAtMs: payment.createdAtMs };
    return recordTransition.executeWithOptions({ summary: `${from} → ${target}` }, [
      { intentId, from, terms, ...change },
    ]);
  };
  const report = await withRow(payment, step);
  const { terms } = report;
  const isRecreated =
    report.outcome === 'other_payment' &&
    terms?.amountUsdCents === amountUsdCents &&
    terms.corridor === corridor;
  if (!isRecreated) return report;
  await reportRecreatedRow(intentId, payment.createdAtMs);
  payment.createdAtMs = terms.createdAtMs;
  return withRow(payment, step);
}

export function readRow(payment: Payment): Promise<IntentStanding> {
  return withRow(payment, () => readStanding(payment.input.intentId));
}

export function adopt(payment: Payment, standing: IntentStanding): void {
  if (standing.status === payment.status) return;
  payment.status = standing.status;
  payment.eventId = standing.eventId;
  const isAttentionOver = payment.attention !== null && isSettled(standing.status);
  if (isAttentionOver) payment.attention = null;
  upsertSearchAttributes([
    { key: PAYMENT_STATUS, value: standing.status },
    ...(isAttentionOver ? [{ key: NEEDS_ATTENTION, value: false }] : []),
  ]);
}

/**
 * Says on the row, in the UI and to every waiting handler that people must look.
 * @param row where the row is known to stand, if not where the run believes it
 */
export async function raiseAttention(
  payment: Payment,
  reason: string,
  row = payment.status,
): Promise<void> {
  payment.attention = reason;
  tell(`**Needs attention:** ${reason}`);
  upsertSearchAttributes([{ key: NEEDS_ATTENTION, value: true }]);
  await setAttention(payment.input.intentId, reason, isSettled(row));
}

/** A row that contradicts the run: raises attention and waits, open, until operations or the reconciler say to look again. */
export async function waitForOperations(
  payment: Payment,
  reason: string,
  row: IntentStatus,
): Promise<void> {
  const seen = payment.resumes;
  await raiseAttention(payment, reason, row);
  await condition(() => payment.resumes > seen);
}

/** What the payment is doing now, as the Temporal UI shows it. */
export function tell(details: string): void {
  setCurrentDetails(details);
}
