// Starts workflows soon after their intents were committed, and marks the started ones in batches.
// It keeps no state of its own: the workflow repairer starts from the rows whatever this queue
// drops or fails to start.
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import * as fastq from 'fastq';
import type { IntentId } from '../domain/ids';
import type { Log } from '../ports/observe';
import type { PaymentStart } from '../domain/intents/payment-start';
import type { PaymentClaims } from '../ports/intents';
import { callWithin } from './connection';
import { hasCompleted, isOverdue, startNewPayment, type NewStarts } from './payment-start';

export interface StartQueue {
  /** Never throws and never waits. */
  add(payment: PaymentStart): void;
  /**
   * Resolves when every start under way has ended and is marked. Starts that wait are left to the
   * workflow repairer.
   */
  drain(): Promise<void>;
}

interface StartQueueOptions extends NewStarts {
  readonly claims: PaymentClaims;
  readonly log: Log;
}

/** A low limit slows the API's answers little, and still starts hundreds of workflows a second. */
const STARTS_AT_ONCE_MAX = 4;
/**
 * Further starts are left to the workflow repairer, which finds their rows within about ten
 * seconds.
 */
const STARTS_WAITING_MAX = 1_000;
const MARK_AFTER_MS = 200;

export function createStartQueue(options: StartQueueOptions): StartQueue {
  const { client, claims, clock, log } = options;
  let waiting = 0;
  const left = countLeft(log);
  const marks = createStartMarks(claims, log);
  const start = async (payment: PaymentStart) => {
    waiting -= 1;
    if (waiting === 0) left.report();
    // It has waited beyond its deadline: its workflow would only take a task to adopt `expired`.
    if (isOverdue(payment, clock.now())) return;
    try {
      await callWithin(client, () => startNewPayment(options, payment));
      marks.add(payment.intentId);
    } catch (error) {
      // A confirm or a cancel has started the workflow meanwhile, and it has completed.
      if (hasCompleted(error)) return;
      const message = 'workflow not started; the workflow repairer starts it';
      log.warn({ err: error, intent_id: payment.intentId }, message);
    }
  };
  const queue = fastq.promise((run: () => Promise<void>) => run(), STARTS_AT_ONCE_MAX);
  return {
    add(payment) {
      if (waiting >= STARTS_WAITING_MAX) {
        left.add(1);
        return;
      }
      waiting += 1;
      // A start that has waited belongs to the trace of its own create, not of the one before it.
      void queue.push(AsyncResource.bind(() => start(payment)));
    },
    async drain() {
      left.add(queue.length());
      queue.kill();
      await queue.drained();
      left.report();
      await marks.written();
    },
  };
}

/**
 * Counts the starts that are left to the workflow repairer, and logs them once at the end of a
 * burst.
 */
function countLeft(log: Log) {
  let count = 0;
  return {
    add(more: number): void {
      count += more;
    },
    report(): void {
      if (count > 0) log.warn({ count }, 'workflow starts are left to the workflow repairer');
      count = 0;
    },
  };
}

/**
 * Marks in the rows which workflows were started, so that the workflow repairer does not check
 * them.
 */
function createStartMarks(claims: PaymentClaims, log: Log) {
  let started: IntentId[] = [];
  let marking: Promise<void> | undefined;
  const mark = async () => {
    await pause(MARK_AFTER_MS);
    marking = undefined;
    const batch = started;
    started = [];
    await claims.markStarted(batch).catch((error: unknown) => {
      log.warn(
        { err: error, count: batch.length },
        'started workflows were not marked; the workflow repairer checks them',
      );
    });
  };
  return {
    add(intentId: IntentId): void {
      started.push(intentId);
      marking ??= mark();
    },
    written: () => marking ?? Promise.resolve(),
  };
}
