// Expires payments soon after their deadline, many in one statement (record 132). Temporal is the witness: only where the
// payment's workflow has slept since its start does the row alone decide. Any other is left to its workflow, which is started or
// reminded where need be.
import { setTimeout as pause } from 'node:timers/promises';
import * as fastq from 'fastq';
import type { IntentId } from '../domain/ids';
import type { IntentStore } from '../ports/intent-store';
import type { OverduePayment, PaymentClaims } from '../ports/payment-claims';
import { paymentWorkflowId } from '../../workflows/messages/messages';
import { callWithin, describeWorkflow } from './connection';
import { ensureWorkflow, isReminderDue, type EnsureOptions } from './ensure-workflow';

export interface DeadlinePoller {
  /** One batch. Answers how many payments it claimed. @throws what kept Temporal from answering; the others are expired by then */
  poll(stop?: AbortSignal): Promise<number>;
  /** Polls again and again until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface DeadlinePollerOptions extends EnsureOptions {
  readonly payments: Pick<PaymentClaims, 'claimOverdue' | 'markStarted'>;
  readonly intents: Pick<IntentStore, 'expireOverdue' | 'standing' | 'setAttention'>;
}

const POLL_EVERY_MS = 1_000;
/** A statement that expires so many takes some 50 ms, of which nobody waits for more than its own row. */
const PAYMENTS_AT_ONCE = 250;
/** So few, that a wave of deadlines takes little from confirms beside it. */
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

/** Once Temporal has failed to answer, or at a stop, the rest is left to whoever claims it when the lease is over. */
async function expire(
  options: DeadlinePollerOptions,
  overdue: readonly OverduePayment[],
  stop: AbortSignal | undefined,
): Promise<void> {
  const asleep: IntentId[] = [];
  const failures: unknown[] = [];
  const queue = fastq.promise(async (one: OverduePayment) => {
    if (failures.length > 0 || stop?.aborted === true) return;
    try {
      if (await isAsleep(options, one)) asleep.push(one.payment.intentId);
    } catch (error) {
      failures.push(error);
    }
  }, CALLS_AT_ONCE);
  const asked = overdue.filter(({ mayExpire, overdueMs }) => mayExpire || isReminderDue(overdueMs));
  await Promise.all(asked.map((one) => queue.push(one)));
  if (asleep.length > 0) await options.intents.expireOverdue(asleep);
  if (failures.length > 0) throw failures[0];
}

/** Its start. With a start delay nothing follows before the delay is over, or a message comes. */
const EVENTS_OF_A_SLEEPER = 1;

/**
 * Whether the payment's workflow is open and has ended no task. A first task may be under way that Temporal has not written yet:
 * the row decides between that and the deadline. A workflow that is missing is started, one that is awake and late is reminded.
 */
async function isAsleep(
  options: DeadlinePollerOptions,
  { payment, overdueMs }: OverduePayment,
): Promise<boolean> {
  const { client } = options;
  const workflowId = paymentWorkflowId(payment.intentId);
  const workflow = await callWithin(client, () => describeWorkflow(client, workflowId));
  const isOpen = workflow?.status.name === 'RUNNING';
  if (isOpen && workflow.historyLength === EVENTS_OF_A_SLEEPER) return true;
  if (!isOpen || isReminderDue(overdueMs)) await ensureWorkflow(options, payment, isOpen);
  return false;
}
