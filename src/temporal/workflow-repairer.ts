// Repairs what died (architecture, section 3, "Starting and repairing"): every few seconds it takes the payments and comparisons
// that should have moved by now and makes sure each has a run. A run that completed
// beside an open row means that a database was restored: that is for people, and never repaired here.
import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentClaims } from '../ports/payment-claims';
import type { PendingRecheck, PayoutRechecks } from '../ports/payouts/rechecks';
import { ensureRecheck } from './recheck-start';
import { callWithin } from './connection';
import { ensureWorkflow, isReminderDue, type EnsureOptions } from './ensure-workflow';

export interface WorkflowRepairer {
  /** One sweep. Answers how many payments it looked at, or how many comparisons if those were more. */
  poll(stop?: AbortSignal): Promise<number>;
  /** Sweeps again and again until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface ReconcilerOptions extends EnsureOptions {
  readonly payments: PaymentClaims;
  readonly rechecks: PayoutRechecks;
}

const POLL_EVERY_MS = 5_000;
const ROWS_PER_POLL = 50;
const ROWS_DROPPED_PER_POLL = 5_000;
const EVENTS_SKIPPED_AT_ONCE = 1_000;

export function createWorkflowRepairer(options: ReconcilerOptions): WorkflowRepairer {
  const { payments, rechecks, log } = options;
  const poll = async (stop?: AbortSignal) => {
    const isStopped = () => stop?.aborted === true;
    const due = await payments.claimDue(ROWS_PER_POLL);
    await Promise.all(
      due.map(({ payment, payableForMs }) =>
        ensureWorkflow(options, payment, payableForMs !== null && isReminderDue(payableForMs)),
      ),
    );
    if (isStopped()) return 0;
    await inBatches(EVENTS_SKIPPED_AT_ONCE, (limit) => payments.skipEvents(limit), stop);
    if (isStopped()) return 0;
    const declared = await rechecks.claimDueRechecks(ROWS_PER_POLL);
    await Promise.all(declared.map((one) => ensureRechecked(options, one)));
    return Math.max(due.length, declared.length);
  };
  return {
    poll,
    async run(stop) {
      while (!stop.aborted) {
        try {
          const looked = await poll(stop);
          await inBatches(ROWS_DROPPED_PER_POLL, (limit) => payments.dropExpired(limit), stop);
          if (looked === ROWS_PER_POLL) continue;
        } catch (error) {
          log.warn({ err: error }, 'sweep failed; the next one tries again');
        }
        await pause(POLL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    },
  };
}

/** One after the other while they are full. After a stop none begins: the next process takes up the rest. */
async function inBatches(
  size: number,
  work: (limit: number) => Promise<number>,
  stop: AbortSignal | undefined,
): Promise<void> {
  while (stop?.aborted !== true && (await work(size)) >= size);
}

/** A declaration survives the run that wrote it: a late answer that contradicts it is for people all the same. */
async function ensureRechecked(
  { client, log }: ReconcilerOptions,
  owed: PendingRecheck,
): Promise<void> {
  try {
    await callWithin(client, () => ensureRecheck(client, owed));
  } catch (error) {
    log.warn(
      { err: error, intent_id: owed.intentId },
      'comparison not ensured; tried again after the lease',
    );
  }
}
