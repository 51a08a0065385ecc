// Starts an intent's run: at most one at a time, and none after one that completed (architecture, section 3,
// "Starting and repairing").
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import {
  EXPIRY_ADOPTED_AFTER_SHARE,
  EXPIRY_ADOPTED_LIFE_MAX_MS,
  EXPIRY_ADOPTED_WITHIN_SHARE,
} from '../domain/limits';
import { formatUsd } from '../domain/money';
import type { PaymentStart } from '../domain/intents/payment-start';
import type { Clock } from '../ports/clock';
import type { LostCommits } from '../ports/payouts/lost-commits';
import {
  BY_OPERATIONS,
  CORRIDOR,
  NEEDS_ATTENTION,
  PARTNER_ID,
  PAYMENT_STATUS,
  operatorConfirmSignal,
  PAYMENT_WORKFLOW,
  PAYMENTS_QUEUE,
  paymentWorkflowId,
  resumeSignal,
  type OperatorConfirm,
} from '../../workflows/messages/messages';

/** A killed worker costs at most this much before another takes its task. */
export const WORKFLOW_TASK_TIMEOUT = '5 s';

/** The memo that says which row a workflow was started for, whatever has become of the row since. */
const CREATED_AT = 'created_at_ms';

/** For whoever opens a payment in the Temporal UI without knowing the code. */
const STORY = [
  'One payment intent. It waits for the payer to **confirm**, for the partner to **cancel**, or for its deadline.',
  'Confirmed, it is **debited** from the funds-holding account, **paid out** by the provider of its corridor and **captured**; declined, it fails and the debit is released. Then the partner is told by **webhook**.',
  'What it does now stands under *Current Details*. What needs people has `NeedsAttention` = true.',
].join('\n\n');

/**
 * Idempotent: a run that is open is left as it is, one that failed, was terminated or cancelled is followed by a new one.
 * The start delay is the deadline's timer: until confirm, cancel or some time after the deadline no task runs.
 * @throws WorkflowExecutionAlreadyStartedError when a run of this intent has completed
 */
export async function startPayment(
  client: Client,
  payment: PaymentStart,
  now: Date,
): Promise<void> {
  await client.workflow.start(PAYMENT_WORKFLOW, {
    ...startOptions(payment),
    ...delayOf(payment, now),
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

/** A payment that nobody confirms is expired by the deadline poller; its workflow adopts that when it wakes, at some later time. */
function delayOf(payment: PaymentStart, now: Date): { readonly startDelay?: number } {
  const untilDeadlineMs = payment.expiresAtMs - now.getTime();
  if (payment.status !== 'created' || untilDeadlineMs <= 0) return {};
  const lifeMs = Math.min(payment.expiresAtMs - payment.createdAtMs, EXPIRY_ADOPTED_LIFE_MAX_MS);
  const spread = EXPIRY_ADOPTED_WITHIN_SHARE - EXPIRY_ADOPTED_AFTER_SHARE;
  const adoptedAfterMs = lifeMs * (EXPIRY_ADOPTED_AFTER_SHARE + Math.random() * spread);
  return { startDelay: untilDeadlineMs + Math.floor(adoptedAfterMs) };
}

/**
 * Starts the workflow of a row that has just been created, or that nobody is known to have started. A workflow that is there already
 * and knows another creation shows that the row was lost and created again: that is reported before anything goes on.
 * @throws WorkflowExecutionAlreadyStartedError when a workflow of this intent has completed
 */
export async function startNewPayment(
  { client, rows, clock }: NewStarts,
  payment: PaymentStart,
): Promise<void> {
  const now = clock.now();
  try {
    await client.workflow.start(PAYMENT_WORKFLOW, {
      ...startOptions(payment),
      ...delayOf(payment, now),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
    });
  } catch (error) {
    if (!hasCompleted(error)) throw error;
    const workflow = client.workflow.getHandle(paymentWorkflowId(payment.intentId));
    const { memo } = await workflow.describe();
    const createdAtMs = memo?.[CREATED_AT];
    if (createdAtMs !== payment.createdAtMs) {
      const lostAt = typeof createdAtMs === 'number' ? new Date(createdAtMs) : null;
      await rows.reportRow('recreated', payment.intentId, lostAt);
      // Where it waits for its row it reads that now.
      await remindPayment(client, payment);
      return;
    }
    await startPayment(client, payment, now);
  }
}

export interface NewStarts {
  readonly client: Client;
  readonly rows: Pick<LostCommits, 'reportRow'>;
  readonly clock: Clock;
}

/**
 * As above, and a run that is open looks at its row: one that still waits for a confirm which the row has had, or whose
 * deadline has passed. Only a signal with start wakes a run from its start delay.
 */
export function remindPayment(client: Client, payment: PaymentStart): Promise<void> {
  return signalPayment(client, payment, resumeSignal);
}

/** As above, by operations: a contrary answer is asked about again too. */
export function resumePayment(client: Client, payment: PaymentStart): Promise<void> {
  return signalPayment(client, payment, resumeSignal, BY_OPERATIONS);
}

/** A confirm by operations, without a token: it wakes the run from its start delay, or starts the run. */
export function confirmPayment(
  client: Client,
  payment: PaymentStart,
  operator: OperatorConfirm,
): Promise<void> {
  return signalPayment(client, payment, operatorConfirmSignal, operator);
}

async function signalPayment(
  client: Client,
  payment: PaymentStart,
  signal: SignalDefinition<unknown[]>,
  ...signalArgs: unknown[]
): Promise<void> {
  const options = { ...startOptions(payment), signal, signalArgs };
  await client.workflow.signalWithStart(PAYMENT_WORKFLOW, options);
}

/** Whether that is why a payment was not started: no second run of one whose run has completed. */
export function hasCompleted(error: unknown): boolean {
  return error instanceof WorkflowExecutionAlreadyStartedError;
}

function startOptions(payment: PaymentStart) {
  return {
    workflowId: paymentWorkflowId(payment.intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [payment],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' as const,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: `${formatUsd(payment.amountUsdCents)} to ${payment.corridor} for ${payment.partnerId}`,
    staticDetails: STORY,
    memo: { [CREATED_AT]: payment.createdAtMs },
    typedSearchAttributes: [
      { key: PARTNER_ID, value: payment.partnerId },
      { key: CORRIDOR, value: payment.corridor },
      { key: PAYMENT_STATUS, value: payment.status },
      { key: NEEDS_ATTENTION, value: false },
    ],
  };
}
