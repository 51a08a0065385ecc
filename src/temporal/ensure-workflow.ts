// Makes sure that an open payment has a workflow, and that the workflow reads its row
// (architecture, section 3, "Starting and repairing").
import { workflowGone } from '../domain/intents/attention';
import { CLAIM_LEASE_SECONDS } from '../domain/limits';
import type { PaymentStart } from '../domain/intents/payment-start';
import type { IntentStore, PaymentClaims } from '../ports/intents';
import type { Log } from '../ports/observe';
import { callWithin } from './connection';
import {
  hasCompleted,
  mayBeDeleted,
  remindPayment,
  startNewPayment,
  type NewStarts,
} from './payment-start';

export interface EnsureOptions extends NewStarts {
  readonly payments: Pick<PaymentClaims, 'markStarted'>;
  readonly intents: Pick<IntentStore, 'isWorkflowGone' | 'readCurrentState' | 'setAttention'>;
  readonly log: Log;
}

/** @param isReminder whether an open workflow gets a signal to read its row */
export async function ensureWorkflow(
  options: EnsureOptions,
  payment: PaymentStart,
  isReminder: boolean,
): Promise<void> {
  const { client, payments, log } = options;
  try {
    if (await isGone(options, payment)) return;
    await callWithin(client, () =>
      isReminder ? remindPayment(client, payment) : startNewPayment(options, payment),
    );
    if (!isReminder) await payments.markStarted([payment.intentId]);
  } catch (error) {
    if (hasCompleted(error)) {
      await reportCompleted(options, payment);
      return;
    }
    log.warn(
      { err: error, intent_id: payment.intentId },
      'workflow not ensured; tried again when the lease of the row has expired',
    );
  }
}

/** Then reminders come four times, instead of once, while the elapsed time doubles. */
const REMIND_OFTEN_AFTER_MS = 600_000;
/** A row is claimed once per lease, and this much later at most. */
const POLLED_EVERY_AT_MOST_MS = 5_000;

/**
 * A reminder costs four events of the workflow's history, and Temporal accepts 10 000 signals. So
 * one is due only when the elapsed time has crossed 30 s, 60 s, 2, 4 or 8 minutes since the row was
 * last claimed, and then each time it has grown by a fifth: 70 reminders in a year.
 */
export function isReminderDue(elapsedMs: number): boolean {
  const sinceLastClaimMs = CLAIM_LEASE_SECONDS * 1_000 + POLLED_EVERY_AT_MOST_MS;
  return milestone(elapsedMs) !== milestone(elapsedMs - sinceLastClaimMs);
}

function milestone(elapsedMs: number): number {
  const leases = elapsedMs / (CLAIM_LEASE_SECONDS * 1_000);
  if (leases < 1) return -1;
  return Math.floor(Math.log2(leases) * (elapsedMs < REMIND_OFTEN_AFTER_MS ? 1 : 4));
}

/**
 * **Danger: double payment.** A workflow that has completed is the only one that knows what it
 * reported. Whether Temporal has, or may have, deleted it: such a payment needs attention, and no
 * process starts another workflow for it. Everything that may start one for a row that is not new
 * asks this first.
 */
export async function isGone(
  options: Omit<EnsureOptions, 'payments'>,
  payment: PaymentStart,
): Promise<boolean> {
  if (await options.intents.isWorkflowGone(payment.intentId)) return true;
  const isDeleted = await callWithin(options.client, () => mayBeDeleted(options, payment));
  if (isDeleted) await reportCompleted(options, payment);
  return isDeleted;
}

/**
 * A workflow completes after its row is terminal, so an open row beside a completed workflow means
 * that Postgres or Temporal was restored. The row is read again first: it may have become terminal
 * since it was claimed.
 */
async function reportCompleted(
  { intents, log }: Pick<EnsureOptions, 'intents' | 'log'>,
  payment: PaymentStart,
): Promise<void> {
  const { status } = await intents.readCurrentState(payment.intentId);
  if (status !== payment.status) return;
  const gone = workflowGone(status);
  log.error({ intent_id: payment.intentId, status }, gone.sentence);
  await intents.setAttention(payment.intentId, gone);
}
