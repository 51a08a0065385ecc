// A payment as its workflow knows it, and how the workflow records a step and adopts what the row says (rule R1).
import { condition, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
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
  TokenUse,
  TransitionReport,
} from '../src/domain/intents/transition';
import { NEEDS_ATTENTION, PAYMENT_STATUS } from './messages/messages';
import { withRow, type RowState } from './missing-row';
import { firstPhase, type Phase } from './phase';
import {
  readCurrentState,
  recordTransition,
  reportRow,
  setAttention,
  TRANSITION_SUMMARIES,
} from './steps';

/** What every phase has in common. */
export interface Payment {
  readonly input: PaymentStart;
  phase: Phase;
  /** The status that the workflow believes the row to have. */
  status: IntentStatus;
  /** The webhook event of that status, if the partner wants one. */
  eventId: EventId | null;
  readonly row: RowState;
  /** Why the payment needs attention, if it does. */
  attention: string | null;
  /** How many resume signals came, and how many of them operators sent. */
  readonly resumes: { all: number; byOperations: number };
  /** The worker that paid out has seen the partner's endpoint take webhooks at once. */
  isEndpointFast: boolean;
  /** What the search attributes say. */
  shown: { readonly status: IntentStatus; readonly needsAttention: boolean };
  /** Another run of the workflow, or an attempt at its first task, may have sent the payout. */
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
    attention: null,
    isEndpointFast: false,
    shown: { status: input.status, needsAttention: false },
    resumes: { all: 0, byOperations: 0 },
    mayHaveBeenSent,
    cancelRejectedAtMs: -Infinity,
  };
}

/** What this run knows of the authorize. Of another run's authorize it knows nothing. */
export interface Authorization {
  /** This run authorized the intent itself. */
  readonly isOwn: boolean;
  /** The debit was made together with the authorize. */
  readonly isDebited: boolean;
}

export interface Change {
  readonly event: IntentEvent;
  /** `payer`, `partner`, `system` or an operator's name. */
  readonly actor: string;
  readonly reason?: string;
  readonly token?: TokenUse;
  readonly payoutAttempts?: number;
  readonly resolvedAs?: ManualResolution;
  readonly debitUsdCents?: UsdCents;
  readonly isKnownUnpaid?: boolean;
}

/**
 * Compares and sets, then adopts what the row says. A row that is further along is adopted and not contradicted. A row that
 * contradicts the workflow is left alone, and the payment's status stays what it was.
 */
export async function record(payment: Payment, change: Change): Promise<TransitionReport> {
  const from = payment.status;
  const target = nextStatus(from, change.event);
  if (target === undefined) throw new Error(`no edge ${change.event} from ${from}`);
  const report = await recordOwn(payment, change);
  if (report.outcome === 'other_payment') await raiseAttention(payment, OTHER_PAYMENT);
  else if (canAdopt({ from, target, row: report.status })) adopt(payment, report);
  return report;
}

const OTHER_PAYMENT =
  'The row names another amount or corridor than this workflow, so nothing was moved: a database was restored. See docs/restore.md.';

/** A row that was lost and created again for the same payment belongs to this workflow: that is reported once. */
async function recordOwn(payment: Payment, change: Change): Promise<TransitionReport> {
  const { input, row, status: from } = payment;
  const { intentId, amountUsdCents, corridor } = input;
  const step = () => {
    const terms = { amountUsdCents, corridor, createdAtMs: row.createdAtMs };
    return recordTransition.executeWithOptions({ summary: TRANSITION_SUMMARIES[change.event] }, [
      { intentId, from, terms, ...change },
    ]);
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

export function readRow(payment: Payment): Promise<IntentCurrentState> {
  return onRow(payment, () => readCurrentState(payment.input.intentId));
}

/** A status that no attribute shows yet is shown before the workflow waits for its row. */
function onRow<Result>(payment: Payment, step: () => Promise<Result>): Promise<Result> {
  return withRow(payment, step, () => showStatus(payment));
}

export function adopt(payment: Payment, { status, eventId }: IntentCurrentState): void {
  if (status === payment.status) return;
  payment.status = status;
  payment.eventId = eventId;
  if (isSettled(status)) payment.attention = null;
}

/**
 * Writes to the search attributes what has changed. Called before the workflow waits for more than its own Postgres: a status that
 * the same task replaces is never written.
 */
export function showStatus(payment: Payment): void {
  const { status, shown } = payment;
  const needsAttention = payment.attention !== null;
  const changes = [
    ...(status === shown.status ? [] : [{ key: PAYMENT_STATUS, value: status }]),
    ...(needsAttention === shown.needsAttention
      ? []
      : [{ key: NEEDS_ATTENTION, value: needsAttention }]),
  ];
  if (changes.length > 0) upsertSearchAttributes(changes);
  payment.shown = { status, needsAttention };
}

/**
 * Shows on the row and in the UI that the payment needs attention; confirms that wait for the outcome are answered.
 * @param row the status of the row, where it is not the one that the workflow believes
 */
export async function raiseAttention(
  payment: Payment,
  reason: string,
  row = payment.status,
): Promise<void> {
  payment.attention = reason;
  setCurrentDetails(`**Needs attention:** ${reason}`);
  showStatus(payment);
  await setAttention(payment.input.intentId, reason, isSettled(row));
}

/** A Postgres that lost its last commits has lost the attention too: while a payout is watched, each resume signal writes it again. */
export async function repeatAttention({ input, phase, attention }: Payment): Promise<void> {
  if (phase.name !== 'watching' || attention === null) return;
  await setAttention(input.intentId, attention);
}

/**
 * A row that contradicts the workflow: raises attention and waits for a resume signal before the row is read again. One that does
 * not say what the workflow has written proves that Postgres lost commits: all payouts stop, and this one is asked about first.
 */
export async function waitForOperations(
  payment: Payment,
  reason: string,
  row: IntentStatus,
): Promise<void> {
  const seen = payment.resumes.all;
  if (isReachable(row, payment.status)) {
    await reportRow('behind', payment.input.intentId, payment.row.createdAtMs);
  }
  await raiseAttention(payment, reason, row);
  await condition(() => payment.resumes.all > seen);
}
