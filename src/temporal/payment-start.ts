// Starts an intent's workflow: at most one at a time, and none after one that completed
// (architecture, section 3, "Starting and repairing").
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import {
  EXPIRY_ADOPTED_AFTER_SHARE,
  EXPIRY_ADOPTED_LIFE_MAX_MS,
  EXPIRY_ADOPTED_WITHIN_SHARE,
  WORKFLOW_TASK_TIMEOUT_MS,
} from '../domain/limits';
import { formatUsd } from '../domain/money';
import type { PaymentStart } from '../domain/intents/payment-start';
import type { Clock } from '../ports/clock';
import type { LostCommits } from '../ports/restores';
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
import { describeWorkflow } from './connection';

/**
 * The memo with the creation time of the row that a workflow was started for; the row may have been
 * lost since.
 */
const CREATED_AT = 'created_at_ms';

/** Shown to an operator who opens a payment in the Temporal UI. */
const STORY = [
  'One payment intent. It waits for the payer to **confirm**, for the partner to **cancel**, or for its deadline.',
  'Confirmed, it is **debited** from the funds-holding account, **paid out** by the provider of its corridor and **captured**; declined, it fails and the debit is released. Then a **webhook** notifies the partner.',
  '*Current Details* shows what it does now. `NeedsAttention` = true marks a payment that needs an operator.',
].join('\n\n');

/**
 * Idempotent: an open workflow is left as it is; one that failed, was terminated or cancelled is
 * followed by a new one. The start delay serves as the deadline's timer: no task runs before a
 * confirm, a cancel or some time after the deadline.
 * @throws WorkflowExecutionAlreadyStartedError when a workflow of this intent has completed
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

/**
 * The deadline poller expires a payment that is not confirmed; its workflow adopts that when it
 * wakes, some time later. One that is started after the deadline, because only a workflow can query
 * the provider, wakes as late: many of them would delay the confirms of other payments.
 */
function delayOf(payment: PaymentStart, now: Date): { readonly startDelay?: number } {
  if (payment.status !== 'created') return {};
  const untilDeadlineMs = Math.max(0, payment.expiresAtMs - now.getTime());
  const lifeMs = Math.min(payment.expiresAtMs - payment.createdAtMs, EXPIRY_ADOPTED_LIFE_MAX_MS);
  const spread = EXPIRY_ADOPTED_WITHIN_SHARE - EXPIRY_ADOPTED_AFTER_SHARE;
  const adoptedAfterMs = lifeMs * (EXPIRY_ADOPTED_AFTER_SHARE + Math.random() * spread);
  return { startDelay: untilDeadlineMs + Math.floor(adoptedAfterMs) };
}

/**
 * Starts the workflow of a row that has just been created, or that is not marked as started. If a
 * workflow exists already with another creation time, the row was lost and created again: that is
 * reported before anything else happens.
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
      // A workflow that waits for its missing row reads the row now.
      await remindPayment(client, payment);
      return;
    }
    await startPayment(client, payment, now);
  }
}

/** Whether the deadline poller decides the payment: nothing can authorize it any more. */
export function isOverdue({ status, expiresAtMs }: PaymentStart, now: Date): boolean {
  return status === 'created' && expiresAtMs <= now.getTime();
}

/** No namespace has a shorter retention. */
const RETENTION_MIN_MS = 3_600_000;
const CLOCKS_DIFFER_BY_MS = 600_000;

/**
 * Whether Temporal may have deleted a completed workflow of this open payment: there is none, and
 * the row is older than the namespace's retention. Then only an operator may start another.
 */
export async function mayBeDeleted(
  { client, clock }: Pick<NewStarts, 'client' | 'clock'>,
  { intentId, createdAtMs }: PaymentStart,
): Promise<boolean> {
  const ageMs = clock.now().getTime() - createdAtMs + CLOCKS_DIFFER_BY_MS;
  if (ageMs < RETENTION_MIN_MS) return false;
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  if (ageMs < (optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0)) return false;
  return (await describeWorkflow(client, paymentWorkflowId(intentId))) === undefined;
}

export interface NewStarts {
  readonly client: Client;
  readonly rows: Pick<LostCommits, 'reportRow'>;
  readonly clock: Clock;
}

/**
 * As {@link startPayment}; an open workflow also reads its row again, for example when it waits for
 * a confirm that the row has had, or when its deadline has passed. Only a signal with start wakes a
 * workflow from its start delay.
 */
export function remindPayment(client: Client, payment: PaymentStart): Promise<void> {
  return signalPayment(client, payment, resumeSignal);
}

/**
 * As {@link remindPayment}, by an operator: after an amount mismatch the workflow queries the
 * provider again too.
 */
export function resumePayment(client: Client, payment: PaymentStart): Promise<void> {
  return signalPayment(client, payment, resumeSignal, BY_OPERATIONS);
}

/**
 * A confirm by an operator, without a token: it wakes the workflow from its start delay, or starts
 * the workflow.
 */
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

/** Whether a payment was not started because its workflow has completed before. */
export function hasCompleted(error: unknown): boolean {
  return error instanceof WorkflowExecutionAlreadyStartedError;
}

function startOptions(payment: PaymentStart) {
  return {
    workflowId: paymentWorkflowId(payment.intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [payment],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' as const,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
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
