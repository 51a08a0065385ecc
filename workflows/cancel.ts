// Cancel and expiry: ends a payment that was not paid out. For an authorized one the row decides,
// and the debit is released in the same transaction (decision 25).
import { setCurrentDetails, sleep, uuid4 } from '@temporalio/workflow';
import type { Attention } from '../src/domain/intents/attention';
import { isSettled } from '../src/domain/intents/transitions';
import { PAYOUT_SENDING_MAX_SECONDS } from '../src/domain/payouts/limits';
import { FIRST_TASK_REPEATED, type TransitionReport } from '../src/domain/intents/transition';
import {
  raiseAttention,
  record,
  showStatus,
  type Authorization,
  type Change,
  type Payment,
} from './payment';
import { orderOf } from './payout';
import type { PendingCancel } from './phase';
import { isKnownUnpaid } from './steps';

/** `rejected`: the provider may have the payout. `overtaken`: the row has another status by now. */
type CancelResult = 'cancelled' | 'rejected' | 'overtaken';

interface Cancels {
  readonly cancels: PendingCancel[];
}

/**
 * Cancels before anything was sent. If another execution authorized the payment, restored rows may
 * not know a sending, so the provider is queried first.
 */
export async function isCancelledBeforePayout(
  payment: Payment,
  phase: Cancels,
  { isOwn }: Authorization,
): Promise<boolean> {
  if (phase.cancels.length === 0) return false;
  const first = isOwn ? await cancel(payment) : 'not_queried';
  const result =
    first === 'not_queried'
      ? await cancelIfUnpaid(payment, phase, Date.now())
      : answerCancels(payment, phase, first);
  return result === 'cancelled';
}

/**
 * Cancels only if the provider denies the payout: restored rows may not know that it was sent.
 * @param sinceMs when the workflow first knew that no attempt runs; an earlier request may still
 * arrive
 */
export async function cancelIfUnpaid(
  payment: Payment,
  phase: Cancels,
  sinceMs: number,
): Promise<CancelResult> {
  setCurrentDetails('A cancel: querying the provider for the payout.');
  showStatus(payment);
  // `resolvedAs` schedules the recheck: for a day the provider must not report a payout.
  const change = { resolvedAs: 'cancelled', ...CANCEL } as const;
  const report = await recordIfUnpaid(payment, change, sinceMs);
  return answerCancels(payment, phase, report === null ? 'rejected' : resultOf(payment, report));
}

/**
 * Queries the provider, and writes the change if nothing was paid: null if the provider does not
 * say so. The row must hold the answer to this very query, so a result that is not the activity's
 * own, or an answer that Postgres has lost, makes the workflow query again (decision 145).
 */
async function recordIfUnpaid(
  payment: Payment,
  change: Change,
  sinceMs: number,
): Promise<TransitionReport | null> {
  for (;;) {
    await untilNothingIsUnderWay(sinceMs);
    const queryId = uuid4();
    if (!(await isKnownUnpaid({ ...orderOf(payment), queryId }))) return null;
    const report = await record(payment, { ...change, queryId });
    if (report.outcome !== 'not_queried') return report;
  }
}

export async function untilNothingIsUnderWay(sinceMs: number): Promise<void> {
  const waitMs = sinceMs + PAYOUT_SENDING_MAX_SECONDS * 1_000 - Date.now();
  if (waitMs > 0) await sleep(waitMs, { summary: 'A sending may be on its way' });
}

const CANCEL = { event: 'cancel', actor: 'partner' } as const;

async function cancel(payment: Payment): Promise<CancelResult | 'not_queried'> {
  setCurrentDetails('Cancelling: releasing the debit.');
  const report = await record(payment, CANCEL);
  return report.outcome === 'not_queried' ? report.outcome : resultOf(payment, report);
}

function resultOf({ status }: Payment, { outcome }: TransitionReport): CancelResult {
  if (outcome === 'stopped') return 'rejected';
  return isSettled(status) ? 'cancelled' : 'overtaken';
}

/** Answers all pending cancels alike. */
function answerCancels(payment: Payment, { cancels }: Cancels, result: CancelResult): CancelResult {
  if (result === 'rejected') payment.cancelRejectedAtMs = Date.now();
  for (const request of cancels.splice(0)) request.isAnswered = true;
  return result;
}

/**
 * Ends a payment that was not paid out: expires or cancels a created one, fails one whose debit the
 * holding account could not make. After Postgres has lost commits, or if an earlier attempt at the
 * first task may have paid, the provider is queried first (decisions 127 and 135). The reports
 * `stopped` and `not_queried` leave the payment open.
 * @param doubt the attention if the provider does not deny the payout
 */
export async function endUnpaid(
  payment: Payment,
  change: Change & { readonly event: 'expire' | 'cancel' | 'fail' },
  doubt = MAY_BE_PAID,
): Promise<TransitionReport> {
  const noQuery = payment.status === 'created' ? FIRST_TASK_REPEATED : NOT_MADE;
  const first = payment.mayHaveBeenSent ? { queryId: noQuery } : {};
  const report = await record(payment, { ...change, ...first });
  if (report.outcome !== 'not_queried') return report;
  setCurrentDetails('Querying the provider for the payout: the row may have lost it.');
  showStatus(payment);
  const ended = await recordIfUnpaid(payment, change, Date.now());
  if (ended === null) await raiseAttention(payment, doubt);
  return ended ?? report;
}

/** The id of no query: the row cannot hold its answer, so it reports `not_queried`. */
const NOT_MADE = 'not made';

const MAY_BE_PAID: Attention = {
  kind: 'may_be_paid',
  sentence:
    'The row says that this payment was never confirmed, but the provider does not deny the payout. See docs/restore.md.',
};

const SHORTEST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 600_000;
const DELAY_SHARE = 1 / 20;

/**
 * Delay until the next try to expire. Nobody gets a definite answer before, and a stop for a
 * restore may last for days.
 */
export function delayMs(overdueMs: number): number {
  return Math.min(Math.max(overdueMs * DELAY_SHARE, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
}
