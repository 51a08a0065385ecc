// Starts runs soon after their intents were committed, and notes which were started, in batches. What it drops or
// cannot do the reconciler does: nothing here is the only copy of anything.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { IntentId } from '../domain/ids';
import type { Clock } from '../ports/clock';
import type { Log } from '../ports/log';
import type { PaymentStart } from '../domain/payment-start';
import type { PaymentSweep } from '../ports/payment-sweep';
import { callUntil } from './connection';
import { startPayment } from './payment-start';

export interface StartQueue {
  /** Never throws and never waits. */
  add(payment: PaymentStart): void;
  /** Comes back when everything under way has ended and been noted. */
  drain(): Promise<void>;
}

interface StartQueueOptions {
  readonly client: Client;
  readonly sweep: PaymentSweep;
  readonly clock: Clock;
  readonly log: Log;
}

/** Beyond this many under way a start is left to the reconciler, which finds the row within about ten seconds. */
const STARTS_UNDER_WAY_MAX = 500;
const START_TIMEOUT_MS = 5_000;
const NOTE_AFTER_MS = 200;

export function createStartQueue({ client, sweep, clock, log }: StartQueueOptions): StartQueue {
  const underWay = new Set<Promise<void>>();
  let started: IntentId[] = [];
  let noting: Promise<void> | undefined;

  const note = async () => {
    await pause(NOTE_AFTER_MS);
    noting = undefined;
    const batch = started;
    started = [];
    await sweep.markStarted(batch).catch((error: unknown) => {
      log.warn(
        { err: error, count: batch.length },
        'started runs were not noted; the reconciler will look',
      );
    });
  };
  const start = async (payment: PaymentStart) => {
    try {
      await callUntil(client, AbortSignal.timeout(START_TIMEOUT_MS), () =>
        startPayment(client, payment, clock.now()),
      );
      started.push(payment.intentId);
      noting ??= note();
    } catch (error) {
      log.warn({ err: error, intent_id: payment.intentId }, 'run not started; the reconciler will');
    }
  };
  return {
    add(payment) {
      if (underWay.size >= STARTS_UNDER_WAY_MAX) return;
      const promise = start(payment).finally(() => underWay.delete(promise));
      underWay.add(promise);
    },
    async drain() {
      await Promise.all(underWay);
      await noting;
    },
  };
}
