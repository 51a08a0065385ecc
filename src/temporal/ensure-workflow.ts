// Makes sure that an open payment has a workflow, and that the workflow reads its row
// (architecture, section 3, "Starting and repairing").
import { workflowHasCompleted } from '../domain/intents/completed-workflow';
import { CLAIM_LEASE_SECONDS } from '../domain/limits';
import type { PaymentStart } from '../domain/intents/payment-start';
import type { IntentStore } from '../ports/intent-store';
import type { Log } from '../ports/log';
import type { PaymentClaims } from '../ports/payment-claims';
import { callWithin } from './connection';
import { hasCompleted, remindPayment, startNewPayment, type NewStarts } from './payment-start';

export interface EnsureOptions extends NewStarts {
  readonly payments: Pick<PaymentClaims, 'markStarted'>;
  readonly intents: Pick<IntentStore, 'readCurrentState' | 'setAttention'>;
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

const REMIND_AT_LEAST_EVERY_MS = 600_000;
/** A row is claimed once per lease, and this much later at most. */
const POLLED_EVERY_AT_MOST_MS = 5_000;

/**
 * A reminder costs four events of the workflow's history. So one is due only when the elapsed time
 * has crossed 30 s, 60 s, 2, 4 or 8 minutes since the row was last claimed, and then every ten
 * minutes: the history of a workflow that waits for its provider, or for an operator, stays small
 * for months.
 */
export function isReminderDue(elapsedMs: number): boolean {
  const sinceLastClaimMs = CLAIM_LEASE_SECONDS * 1_000 + POLLED_EVERY_AT_MOST_MS;
  return milestone(elapsedMs) !== milestone(elapsedMs - sinceLastClaimMs);
}

function milestone(elapsedMs: number): number {
  const leases = elapsedMs / (CLAIM_LEASE_SECONDS * 1_000);
  if (leases < 1) return -1;
  const doubled = Math.floor(Math.log2(leases));
  return elapsedMs < REMIND_AT_LEAST_EVERY_MS
    ? doubled
    : 100 + Math.floor(elapsedMs / REMIND_AT_LEAST_EVERY_MS);
}

/**
 * A workflow completes after its row is terminal, so an open row beside a completed workflow means
 * that Postgres or Temporal was restored. The row is read again first: it may have become terminal
 * since it was claimed.
 */
async function reportCompleted(
  { intents, log }: EnsureOptions,
  payment: PaymentStart,
): Promise<void> {
  const { status } = await intents.readCurrentState(payment.intentId);
  if (status !== payment.status) return;
  const reason = workflowHasCompleted(status);
  log.error({ intent_id: payment.intentId, status }, reason);
  await intents.setAttention(payment.intentId, reason);
}
