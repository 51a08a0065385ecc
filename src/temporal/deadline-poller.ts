// Expires payments soon after their deadline, many in one statement (decision 132). It expires a
// payment only if Temporal shows that the payment's workflow has slept since its start, or that
// there is none. Any other payment is left to its workflow.
import { setTimeout as pause } from 'node:timers/promises';
import * as fastq from 'fastq';
import type { IntentId } from '../domain/ids';
import type { IntentStore, OverduePayment, PaymentClaims } from '../ports/intents';
import { paymentWorkflowId } from '../../workflows/messages/messages';
import { callWithin, describeWorkflow } from './connection';
import { ensureWorkflow, isGone, isReminderDue, type EnsureOptions } from './ensure-workflow';

interface DeadlinePoller {
  /**
   * Claims and expires one batch.
   * @returns how many payments it claimed
   * @throws the first error of a call to Temporal; the payments that were checked before it are
   * expired by then
   */
  poll(stop?: AbortSignal): Promise<number>;
  /** Polls again and again until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface DeadlinePollerOptions extends EnsureOptions {
  readonly payments: Pick<PaymentClaims, 'claimOverdue' | 'markStarted'>;
  readonly intents: EnsureOptions['intents'] & Pick<IntentStore, 'expireOverdue'>;
}

const POLL_EVERY_MS = 1_000;
/**
 * A statement that expires a full batch takes some 50 ms; a concurrent transaction waits only for
 * the lock of its own row.
 */
const PAYMENTS_AT_ONCE = 250;
/** A low limit, so that many deadlines at once slow confirms down little. */
const CALLS_AT_ONCE = 4;

export function createDeadlinePoller(options: DeadlinePollerOptions): DeadlinePoller {
  const { payments, log } = options;
  const poll = async (stop?: AbortSignal) => {
    const overdue = await payments.claimOverdue(PAYMENTS_AT_ONCE);
    if (overdue.length > 0) await expire(options, overdue, stop);
    return overdue.length;
  };
  return {
    poll,
    async run(stop) {
      while (!stop.aborted) {
        try {
          if ((await poll(stop)) === PAYMENTS_AT_ONCE) continue;
        } catch (error) {
          log.warn({ err: error }, 'payments past their deadline were not expired; tried again');
        }
        await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/**
 * After a failed call to Temporal, or at a stop, the rest is left to the worker that claims it when
 * the lease has expired.
 */
async function expire(
  options: DeadlinePollerOptions,
  overdue: readonly OverduePayment[],
  stop: AbortSignal | undefined,
): Promise<void> {
  const unconfirmed: IntentId[] = [];
  const failures: unknown[] = [];
  const queue = fastq.promise(async (one: OverduePayment) => {
    if (failures.length > 0 || stop?.aborted === true) return;
    try {
      if (await isUnconfirmed(options, one)) unconfirmed.push(one.payment.intentId);
    } catch (error) {
      failures.push(error);
    }
  }, CALLS_AT_ONCE);
  const due = overdue.filter(
    ({ mayExpire, needsWorkflow, waitsForPeople, overdueMs }) =>
      mayExpire || (needsWorkflow && !waitsForPeople) || isReminderDue(overdueMs),
  );
  await Promise.all(due.map((one) => queue.push(one)));
  if (unconfirmed.length > 0) await options.intents.expireOverdue(unconfirmed);
  if (failures.length > 0) throw failures[0];
}

/**
 * The start event. With a start delay no other event follows before the delay is over or a message
 * arrives.
 */
const EVENTS_WHILE_ASLEEP = 1;

/**
 * Whether the payment's workflow is open and has completed no task, or was never started. A first
 * task may be under way that Temporal has not recorded yet: the row decides whether that task or
 * the deadline comes first. Replaces a workflow that was terminated, and reminds one that is awake
 * and late. Otherwise a workflow is started only to query the provider: one for each of many
 * overdue payments would delay the confirms of others.
 */
async function isUnconfirmed(
  options: DeadlinePollerOptions,
  { payment, overdueMs, needsWorkflow }: OverduePayment,
): Promise<boolean> {
  const { client } = options;
  const workflowId = paymentWorkflowId(payment.intentId);
  const workflow = await callWithin(client, () => describeWorkflow(client, workflowId));
  if (workflow === undefined && !needsWorkflow) return !(await isGone(options, payment));
  const isOpen = workflow?.status.name === 'RUNNING';
  if (isOpen && workflow.historyLength === EVENTS_WHILE_ASLEEP) return true;
  if (!isOpen || isReminderDue(overdueMs)) await ensureWorkflow(options, payment, isOpen);
  return false;
}
