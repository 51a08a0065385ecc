// Expires payments soon after their deadline, many in one statement (record 132). Temporal is the witness: only where the
// payment's workflow has slept since its start does the row alone decide. Any other is left to its workflow, which is started or
// reminded where need be.
import { setTimeout as pause } from 'node:timers/promises';
import * as fastq from 'fastq';
import type { PaymentStart } from '../domain/payment-start';
import type { IntentStore } from '../ports/intent-store';
import type { OverduePayment, PaymentSweep } from '../ports/payment-sweep';
import { callWithin } from './connection';
import { ensureWorkflow, isReminderDue, type EnsureOptions } from './ensure-workflow';
import { readProgress } from './workflow-progress';

export interface DeadlinePoller {
  /** One batch. Answers how many payments it read. */
  poll(): Promise<number>;
  /** Polls again and again until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface DeadlinePollerOptions extends EnsureOptions {
  readonly payments: Pick<PaymentSweep, 'claimOverdue' | 'markStarted'>;
  readonly intents: Pick<IntentStore, 'expireOverdue' | 'standing' | 'setAttention'>;
}

const POLL_EVERY_MS = 1_000;
/** A statement that expires so many takes some 50 ms, of which nobody waits for more than its own row. */
const PAYMENTS_AT_ONCE = 250;
/** So few, that a wave of deadlines takes little from confirms beside it. */
const CALLS_AT_ONCE = 4;
const CALL_TIMEOUT_MS = 5_000;

export function createDeadlinePoller(options: DeadlinePollerOptions): DeadlinePoller {
  const { payments, log } = options;
  const poll = async () => {
    const overdue = await payments.claimOverdue(PAYMENTS_AT_ONCE);
    if (overdue.length > 0) await expire(options, overdue);
    return overdue.length;
  };
  return {
    poll,
    async run(stop) {
      while (!stop.aborted) {
        try {
          if ((await poll()) === PAYMENTS_AT_ONCE) continue;
        } catch (error) {
          log.warn({ err: error }, 'deadlines not polled; the next poll tries again');
        }
        await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/** What Temporal does not tell of is claimed again when its lease is over. */
async function expire(
  options: DeadlinePollerOptions,
  overdue: readonly OverduePayment[],
): Promise<void> {
  const { client, intents, log } = options;
  const asleep: PaymentStart[] = [];
  const judge = async ({ payment, overdueMs }: OverduePayment) => {
    const progress = await callWithin(client, CALL_TIMEOUT_MS, () => readProgress(client, payment));
    if (progress === 'asleep') asleep.push(payment);
    else if (progress === 'none' || isReminderDue(overdueMs)) {
      await ensureWorkflow(options, payment, progress === 'awake');
    }
  };
  const queue = fastq.promise(judge, CALLS_AT_ONCE);
  const judged = await Promise.allSettled(overdue.map((one) => queue.push(one)));
  const failure = judged.find((one) => one.status === 'rejected');
  if (failure !== undefined) {
    log.warn({ err: failure.reason as unknown }, 'Temporal does not tell of overdue payments');
  }
  if (asleep.length > 0) await intents.expireOverdue(asleep.map(({ intentId }) => intentId));
}
