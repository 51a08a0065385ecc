// Starts runs soon after their intents were committed, and notes which were started, in batches. What it drops or
// cannot do the reconciler does: nothing here is the only copy of anything.
import { setTimeout as pause } from 'node:timers/promises';
import * as fastq from 'fastq';
import type { IntentId } from '../domain/ids';
import type { Log } from '../ports/log';
import type { PaymentStart } from '../domain/intents/payment-start';
import type { PaymentClaims } from '../ports/payment-claims';
import { callWithin } from './connection';
import { hasCompleted, startNewPayment, type NewStarts } from './payment-start';

export interface StartQueue {
  /** Never throws and never waits. */
  add(payment: PaymentStart): void;
  /** Comes back when every start under way has ended and been noted. What waited is left to the reconciler. */
  drain(): Promise<void>;
}

interface StartQueueOptions extends NewStarts {
  readonly claims: PaymentClaims;
  readonly log: Log;
}

/** So few at once take little from the answers, and still start hundreds of runs a second. */
const STARTS_AT_ONCE_MAX = 4;
/** Beyond this many waiting a start is left to the reconciler, which finds the row within about ten seconds. */
const STARTS_WAITING_MAX = 1_000;
const NOTE_AFTER_MS = 200;

export function createStartQueue(options: StartQueueOptions): StartQueue {
  const { client, claims, log } = options;
  let waiting = 0;
  const left = countLeft(log);
  const notes = createNotes(claims, log);
  const start = async (payment: PaymentStart) => {
    waiting -= 1;
    if (waiting === 0) left.report();
    try {
      await callWithin(client, () => startNewPayment(options, payment));
      notes.add(payment.intentId);
    } catch (error) {
      // Somebody who confirmed or cancelled meanwhile has started it, and it is over.
      if (hasCompleted(error)) return;
      log.warn({ err: error, intent_id: payment.intentId }, 'run not started; the reconciler will');
    }
  };
  const queue = fastq.promise(start, STARTS_AT_ONCE_MAX);
  return {
    add(payment) {
      if (waiting >= STARTS_WAITING_MAX) {
        left.add(1);
        return;
      }
      waiting += 1;
      void queue.push(payment);
    },
    async drain() {
      left.add(queue.length());
      queue.kill();
      await queue.drained();
      left.report();
      await notes.written();
    },
  };
}

/** Starts that are left to the reconciler, logged once for a whole burst when it is over. */
function countLeft(log: Log) {
  let count = 0;
  return {
    add(more: number): void {
      count += more;
    },
    report(): void {
      if (count > 0) log.warn({ count }, 'runs are left to the reconciler');
      count = 0;
    },
  };
}

/** Notes in the rows which runs were started, so that the reconciler does not look for them. */
function createNotes(claims: PaymentClaims, log: Log) {
  let started: IntentId[] = [];
  let noting: Promise<void> | undefined;
  const note = async () => {
    await pause(NOTE_AFTER_MS);
    noting = undefined;
    const batch = started;
    started = [];
    await claims.markStarted(batch).catch((error: unknown) => {
      log.warn(
        { err: error, count: batch.length },
        'started runs were not noted; the reconciler will look',
      );
    });
  };
  return {
    add(intentId: IntentId): void {
      started.push(intentId);
      noting ??= note();
    },
    written: () => noting ?? Promise.resolve(),
  };
}
