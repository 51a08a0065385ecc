// The workflow repairer (architecture, section 3, "Starting and repairing"): every few seconds it
// claims the payments and rechecks that are due and makes sure that each has a workflow. A
// completed workflow beside an open row means that a database was restored: such a payment needs
// attention, and is never repaired here.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { PaymentClaims } from '../ports/intents';
import type { PendingRecheck, PayoutRechecks } from '../ports/payouts';
import {
  CORRIDOR,
  PARTNER_ID,
  PAYMENTS_QUEUE,
  paymentWorkflowId,
  RECHECK_WORKFLOW,
  recheckWorkflowId,
} from '../../workflows/messages/messages';
import { callWithin, describeWorkflow } from './connection';
import { ensureWorkflow, isReminderDue, type EnsureOptions } from './ensure-workflow';
import { WORKFLOW_TASK_TIMEOUT_MS } from '../domain/limits';

export interface WorkflowRepairer {
  /** Polls once. @returns how many payments it claimed, or how many rechecks if those were more */
  poll(stop?: AbortSignal): Promise<number>;
  /** Polls until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface RepairerOptions extends EnsureOptions {
  readonly payments: PaymentClaims;
  readonly rechecks: PayoutRechecks;
}

const POLL_EVERY_MS = 5_000;
const ROWS_PER_POLL = 50;
const ROWS_DROPPED_PER_POLL = 5_000;
const EVENTS_SKIPPED_AT_ONCE = 1_000;

export function createWorkflowRepairer(options: RepairerOptions): WorkflowRepairer {
  const { payments, rechecks, log } = options;
  const poll = async (stop?: AbortSignal) => {
    const isStopped = () => stop?.aborted === true;
    const due = await payments.claimDue(ROWS_PER_POLL);
    await Promise.all(
      due.map(({ payment, payableForMs, isHinted }) => {
        const isLate = payableForMs !== null && isReminderDue(payableForMs);
        return ensureWorkflow(options, payment, isHinted || isLate);
      }),
    );
    if (isStopped()) return 0;
    await inBatches(EVENTS_SKIPPED_AT_ONCE, (limit) => payments.skipEvents(limit), stop);
    if (isStopped()) return 0;
    const dueRechecks = await rechecks.claimDueRechecks(ROWS_PER_POLL);
    await Promise.all(dueRechecks.map((one) => ensureRechecked(options, one)));
    return Math.max(due.length, dueRechecks.length);
  };
  return {
    poll,
    async run(stop) {
      while (!stop.aborted) {
        try {
          const claimed = await poll(stop);
          await inBatches(ROWS_DROPPED_PER_POLL, (limit) => payments.dropExpired(limit), stop);
          if (claimed === ROWS_PER_POLL) continue;
        } catch (error) {
          log.warn({ err: error }, 'repair poll failed; the next poll tries again');
        }
        await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/**
 * Works in batches until one is not full. After a stop no batch begins: the next process handles
 * the rest.
 */
async function inBatches(
  size: number,
  work: (limit: number) => Promise<number>,
  stop: AbortSignal | undefined,
): Promise<void> {
  while (stop?.aborted !== true && (await work(size)) >= size);
}

/**
 * A manual resolution outlives its workflow: a late provider answer that contradicts it must still
 * raise attention.
 */
async function ensureRechecked(
  { client, log }: RepairerOptions,
  pending: PendingRecheck,
): Promise<void> {
  try {
    await callWithin(client, () => ensureRecheck(client, pending));
  } catch (error) {
    log.warn(
      { err: error, intent_id: pending.intentId },
      'recheck not ensured; tried again after the lease',
    );
  }
}

/**
 * The payment's own workflow rechecks a manual resolution. Where that workflow is gone, and after
 * every cancelled payment, the small workflow payoutRecheck does. Idempotent: however often this is
 * called, one such workflow per intent is open.
 */
export async function ensureRecheck(client: Client, pending: PendingRecheck): Promise<void> {
  const { intentId, partnerId, corridor, amountUsdCents, resolvedAs } = pending;
  if (resolvedAs !== 'cancelled') {
    const payment = await describeWorkflow(client, paymentWorkflowId(intentId));
    if (payment?.status.name === 'RUNNING') return;
  }
  await client.workflow.start(RECHECK_WORKFLOW, {
    workflowId: recheckWorkflowId(intentId),
    taskQueue: PAYMENTS_QUEUE,
    args: [{ intentId, corridor, amountUsdCents, resolvedAs }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: `Whether the provider agrees that ${intentId} was ${resolvedAs}`,
    typedSearchAttributes: [
      { key: PARTNER_ID, value: partnerId },
      { key: CORRIDOR, value: corridor },
    ],
  });
}
