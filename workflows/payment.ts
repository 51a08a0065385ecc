// A payment as its workflow knows it. The workflow writes a step to the row by compare and set,
// then adopts the status that the row reports (rule R1).
import { condition, metricMeter, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Attention } from '../src/domain/intents/attention';
import type { ManualResolution } from '../src/domain/intents/manual-resolution';
import type { EventId } from '../src/domain/ids';
import {
  canAdopt,
  isReachable,
  isSettled,
  nextStatus,
  type IntentEvent,
} from '../src/domain/intents/transitions';
import type { UsdCents } from '../src/domain/money';
import type { IntentStatus } from '../src/domain/intents/payment-intent';
import type { PaymentStart } from '../src/domain/intents/payment-start';
import type {
  IntentCurrentState,
  PaymentTerms,
  RowState,
  TokenUse,
  TransitionReport,
} from '../src/domain/intents/transition';
import { HISTORY_METRIC, NEEDS_ATTENTION, PAYMENT_STATUS } from './messages/messages';
import { writeSearchAttributes } from './messages/search-attributes';
import { withRow, type RowPresence } from './missing-row';
import { firstPhase, type Phase } from './phase';
import {
  readCurrentState,
  recordTransition,
  reportRow,
  setAttention,
  TRANSITION_SUMMARIES,
} from './steps';

/** State that all phases share. */
export interface Payment {
  readonly input: PaymentStart;
  phase: Phase;
  /** The status that the workflow believes the row to have. */
  status: IntentStatus;
  /** The webhook event of that status, if the partner wants one. */
  eventId: EventId | null;
  readonly row: RowPresence;
  /** Why the payment needs attention, as far as this workflow has raised it. */
  attention: readonly Attention[];
  /** How many resume signals came, and how many of them operators sent. */
  readonly resumes: { all: number; byOperations: number };
  /** Whether a resume signal makes the workflow write its attention again at this moment. */
  isAttentionRepeated: boolean;
  /** The worker that paid out has seen the partner's endpoint answer webhooks fast. */
  isEndpointFast: boolean;
  /** The values of the search attributes. */
  shown: { readonly status: IntentStatus; readonly needsAttention: boolean };
  /**
   * Another execution of the workflow, or an attempt at its first task, may have sent the payout.
   */
  mayHaveBeenSent: boolean;
  /** When a cancel was last rejected by the provider's answer or by a stop. */
  cancelRejectedAtMs: number;
}

export function openPayment(input: PaymentStart, mayHaveBeenSent: boolean): Payment {
  return {
    input,
    phase: firstPhase(input.status),
    status: input.status,
    eventId: null,
    row: { createdAtMs: input.createdAtMs, returns: 0, missing: null },
    attention: [],
    isEndpointFast: false,
    shown: { status: input.status, needsAttention: false },
    resumes: { all: 0, byOperations: 0 },
    isAttentionRepeated: false,
    mayHaveBeenSent,
    cancelRejectedAtMs: -Infinity,
  };
}

/** What this execution knows about the authorize step. It does not know another execution's. */
export interface Authorization {
  /** This execution authorized the intent itself. */
  readonly isOwn: boolean;
  /** The authorize statement made the debit too. */
  readonly isDebited: boolean;
}

export interface Change {
  readonly event: IntentEvent;
  /** `payer`, `partner`, `system` or an operator's name. */
  readonly actor: string;
  readonly reason?: string;
  readonly token?: TokenUse;
  readonly resolvedAs?: ManualResolution;
  readonly debitUsdCents?: UsdCents;
  readonly queryId?: string;
}

/**
 * Writes a step by compare and set, then adopts the row's status. A later status is adopted too. If
 * the row contradicts the workflow, nothing is adopted.
 */
export async function record(payment: Payment, change: Change): Promise<TransitionReport> {
  const from = payment.status;
  const target = nextStatus(from, change.event);
  if (target === undefined) throw new Error(`no edge ${change.event} from ${from}`);
  const report = await recordOnOwnRow(payment, change);
  if (report.outcome === 'other_payment') await raiseAttention(payment, OTHER_PAYMENT);
  else if (canAdopt({ from, target, row: report.status })) adopt(payment, report);
  return report;
}

const OTHER_PAYMENT = contradiction(
  'The row names another amount or corridor than this workflow, so nothing was moved: a database was restored. See docs/restore.md.',
);

/** Adopts a row that was lost and created again with the same terms, and reports that once. */
async function recordOnOwnRow(payment: Payment, change: Change): Promise<TransitionReport> {
  const { input, row, status: from } = payment;
  const { intentId, amountUsdCents, corridor } = input;
  const step = () => {
    const command = { intentId, from, terms: termsOf(payment), ...change };
    const summary = TRANSITION_SUMMARIES[change.event];
    return recordTransition.executeWithOptions({ summary }, [command]);
  };
  const report = await onRow(payment, step);
  const { terms } = report;
  const isRecreated =
    report.outcome === 'other_payment' &&
    terms?.amountUsdCents === amountUsdCents &&
    terms.corridor === corridor;
  if (!isRecreated) return report;
  await reportRow('recreated', intentId, row.createdAtMs);
  row.createdAtMs = terms.createdAtMs;
  return onRow(payment, step);
}

export function readRow(payment: Payment): Promise<RowState> {
  const { intentId } = payment.input;
  return onRow(payment, () => readCurrentState(intentId, termsOf(payment)));
}

function termsOf({ input, row }: Payment): PaymentTerms {
  const { amountUsdCents, corridor } = input;
  return { amountUsdCents, corridor, createdAtMs: row.createdAtMs };
}

/** Before the workflow waits for a missing row, the search attributes show the present status. */
function onRow<Result>(payment: Payment, step: () => Promise<Result>): Promise<Result> {
  return withRow(payment, step, () => showStatus(payment));
}

export function adopt(payment: Payment, { status, eventId }: IntentCurrentState): void {
  if (status === payment.status) return;
  payment.status = status;
  payment.eventId = eventId;
  // Every kind that a workflow raises ends with the next status.
  payment.attention = [];
}

/**
 * Writes changed search attributes. Called only before the workflow waits for something other than
 * our Postgres, so that a status which the same task replaces is never written.
 */
export function showStatus(payment: Payment): void {
  const { status, shown } = payment;
  const needsAttention = payment.attention.length > 0;
  const changes = [
    ...(status === shown.status ? [] : [{ key: PAYMENT_STATUS, value: status }]),
    ...(needsAttention === shown.needsAttention
      ? []
      : [{ key: NEEDS_ATTENTION, value: needsAttention }]),
  ];
  writeSearchAttributes(changes);
  payment.shown = { status, needsAttention };
}

/**
 * Shows on the row and in the UI that the payment needs attention. Waiting confirms are answered
 * then.
 * @param row the status of the row, if the workflow has another
 */
export async function raiseAttention(
  payment: Payment,
  raised: Attention,
  row = payment.status,
): Promise<void> {
  payment.attention = [...payment.attention.filter(({ kind }) => kind !== raised.kind), raised];
  const sentences = payment.attention.map(({ sentence }) => sentence);
  setCurrentDetails(`**Needs attention:** ${sentences.join(' ')}`);
  showStatus(payment);
  await setAttention(payment.input.intentId, raised, isSettled(row));
}

/**
 * Postgres may have lost the attention with its last commits, so a resume signal writes it again. A
 * signal that comes meanwhile does not: ten thousand writes would block the workflow.
 */
export async function repeatAttention(payment: Payment): Promise<void> {
  recordHistoryLength();
  const { input, phase, status, attention } = payment;
  payment.isAttentionRepeated = true;
  if (isHistoryLong(attention) && !isSettled(status)) {
    await raiseAttention(payment, LONG_HISTORY);
  } else if (phase.name === 'watching') {
    for (const raised of attention) await setAttention(input.intentId, raised);
  }
  payment.isAttentionRepeated = false;
}

const LONG_HISTORY: Attention = {
  kind: 'history_long',
  sentence:
    'The history of its workflow is long, and Temporal ends a workflow at its limits. Terminate it in Temporal: another one adopts the payment.',
};

/** Temporal suggests a new history at a tenth of its limits. Every signal is an event too. */
function isHistoryLong(attention: readonly Attention[]): boolean {
  return workflowInfo().continueAsNewSuggested && !attention.includes(LONG_HISTORY);
}

/** A metric of Temporal's Core, measured at the end and at every reminder of one that waits. */
export function recordHistoryLength(): void {
  const description = 'Events in the history of a payment’s workflow';
  const histogram = metricMeter.createHistogram(HISTORY_METRIC, 'int', 'events', description);
  histogram.record(workflowInfo().historyLength);
}

/**
 * For a row that contradicts the workflow: raises attention and waits for a resume signal. A row
 * that lacks a step of the workflow proves that Postgres lost commits. Then all payouts stop, and
 * this one is queried before anything is sent.
 */
export async function waitForOperations(
  payment: Payment,
  sentence: string,
  row: Pick<RowState, 'status'> & Partial<RowState>,
): Promise<void> {
  const seen = payment.resumes.all;
  if (row.isWorkflowGone !== true && isReachable(row.status, payment.status)) {
    await reportRow('behind', payment.input.intentId, payment.row.createdAtMs);
  }
  await raiseAttention(payment, contradiction(sentence), row.status);
  await condition(() => payment.resumes.all > seen);
}

function contradiction(sentence: string): Attention {
  return { kind: 'row_contradicts', sentence };
}
