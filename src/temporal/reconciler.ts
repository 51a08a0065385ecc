// Repairs what died (architecture, section 3, "Starting and repairing"): every few seconds it takes the payments and comparisons
// that should have moved by now and makes sure each has a run, and has the webhooks sent that nobody sends. A run that completed
// beside an open row means that a database was restored: that is for people, and never repaired here.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { runHasCompleted } from '../domain/completed-run';
import { SWEEP_LEASE_SECONDS } from '../domain/limits';
import type { Clock } from '../ports/clock';
import type { IntentStore } from '../ports/intent-store';
import type { Log } from '../ports/log';
import type { PaymentStart } from '../domain/payment-start';
import type { DuePayment, PaymentSweep } from '../ports/payment-sweep';
import type { OwedComparison, PayoutComparisons } from '../ports/payout-comparisons';
import { ensureComparison } from './comparison-start';
import { callWithin } from './connection';
import type { OwedDeliveries } from './owed-deliveries';
import { hasCompleted, remindPayment, startPayment } from './payment-start';

export interface Reconciler {
  /** One sweep. Answers how many payments it looked at, or how many comparisons if those were more. */
  sweep(stop?: AbortSignal): Promise<number>;
  /** Sweeps again and again until the signal is aborted. */
  run(stop: AbortSignal): Promise<void>;
}

interface ReconcilerOptions {
  readonly client: Client;
  readonly payments: PaymentSweep;
  readonly comparisons: PayoutComparisons;
  readonly deliveries: OwedDeliveries;
  readonly intents: IntentStore;
  readonly clock: Clock;
  readonly log: Log;
}

const SWEEP_EVERY_MS = 5_000;
const ROWS_PER_SWEEP = 50;
const EVENTS_PER_SWEEP = 200;
const ROWS_DROPPED_PER_SWEEP = 5_000;
const EVENTS_MISSED_AT_ONCE = 1_000;
const START_TIMEOUT_MS = 5_000;

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { payments, comparisons, deliveries, log } = options;
  const sweep = async (stop?: AbortSignal) => {
    const isStopped = () => stop?.aborted === true;
    const due = await payments.claimDue(ROWS_PER_SWEEP);
    await Promise.all(due.map((one) => ensureRun(options, one)));
    if (isStopped()) return 0;
    const owed = await payments.claimOwedEvents(EVENTS_PER_SWEEP);
    await Promise.all(owed.map((event) => deliveries.take(event)));
    await inBatches(EVENTS_MISSED_AT_ONCE, (limit) => payments.missEvents(limit), stop);
    if (isStopped()) return 0;
    const declared = await comparisons.claimOwed(ROWS_PER_SWEEP);
    await Promise.all(declared.map((one) => ensureCompared(options, one)));
    return Math.max(due.length, declared.length);
  };
  return {
    sweep,
    async run(stop) {
      while (!stop.aborted) {
        try {
          const looked = await sweep(stop);
          await inBatches(ROWS_DROPPED_PER_SWEEP, (limit) => payments.dropExpired(limit), stop);
          if (looked === ROWS_PER_SWEEP) continue;
        } catch (error) {
          log.warn({ err: error }, 'sweep failed; the next one tries again');
        }
        await pause(SWEEP_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
      await deliveries.ended();
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

async function ensureRun(options: ReconcilerOptions, due: DuePayment): Promise<void> {
  const { client, payments, clock, log } = options;
  const { payment } = due;
  try {
    await callWithin(client, START_TIMEOUT_MS, () =>
      isReminderDue(due, clock.now())
        ? remindPayment(client, payment)
        : startPayment(client, payment, clock.now()),
    );
    await payments.markStarted([payment.intentId]);
  } catch (error) {
    if (hasCompleted(error)) {
      await reportCompleted(options, payment);
      return;
    }
    log.warn(
      { err: error, intent_id: payment.intentId },
      'run not ensured; tried again when the lease of the row is over',
    );
  }
}

/** Its run should have moved it by now, past its deadline or once authorized: it is reminded ever more rarely. */
function isReminderDue({ payment, authorizedForMs }: DuePayment, now: Date): boolean {
  if (authorizedForMs !== null) return isMilestonePassed(authorizedForMs);
  const lateMs = now.getTime() - payment.expiresAtMs;
  return lateMs >= 0 && isMilestonePassed(lateMs + SWEEP_LEASE_SECONDS * 1_000);
}

const REMIND_AT_LEAST_EVERY_MS = 600_000;

/**
 * Each row comes by once per lease. A reminder costs four events of the run's history, so one is sent when the row has
 * passed 30 s, 60 s, 2, 4 and 8 minutes since the last time it came by, and then every ten minutes: a run that waits for
 * its provider, or for people, stays small for months.
 */
function isMilestonePassed(elapsedMs: number): boolean {
  const sinceLastTimeMs = SWEEP_LEASE_SECONDS * 1_000 + SWEEP_EVERY_MS;
  return milestone(elapsedMs) !== milestone(elapsedMs - sinceLastTimeMs);
}

function milestone(elapsedMs: number): number {
  const leases = elapsedMs / (SWEEP_LEASE_SECONDS * 1_000);
  if (leases < 1) return -1;
  const doubled = Math.floor(Math.log2(leases));
  return elapsedMs < REMIND_AT_LEAST_EVERY_MS
    ? doubled
    : 100 + Math.floor(elapsedMs / REMIND_AT_LEAST_EVERY_MS);
}

/** A declaration survives the run that wrote it: a late answer that contradicts it is for people all the same. */
async function ensureCompared(
  { client, log }: ReconcilerOptions,
  owed: OwedComparison,
): Promise<void> {
  try {
    await callWithin(client, START_TIMEOUT_MS, () => ensureComparison(client, owed));
  } catch (error) {
    log.warn(
      { err: error, intent_id: owed.intentId },
      'comparison not ensured; tried again after the lease',
    );
  }
}

/**
 * A run ends after its row is terminal, so an open row beside a completed run means that one of the two was restored.
 * The row is read again first: it may have become terminal since it was claimed.
 */
async function reportCompleted(
  { intents, log }: ReconcilerOptions,
  payment: PaymentStart,
): Promise<void> {
  const { status } = await intents.standing(payment.intentId);
  if (status !== payment.status) return;
  const reason = runHasCompleted(status);
  log.error({ intent_id: payment.intentId, status }, reason);
  await intents.setAttention(payment.intentId, reason);
}
