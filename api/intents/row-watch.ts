// Confirms in this process wait for their rows by one read of them all, again and again while any of them waits. A payment's row is
// settled before its workflow's task ends and answers: that task may still send the webhook.
import { setTimeout as pause } from 'node:timers/promises';
import type { IntentId } from '../../src/domain/ids';
import type { IntentStatus } from '../../src/domain/intents/payment-intent';

/** `decided`: it is `created` no more. `settled`: nor is it `authorized`. */
export type Milestone = 'decided' | 'settled';

export interface RowWatch {
  /** Comes back with true when readers see that of the row, and with false when it is to stop. */
  until(intentId: IntentId, milestone: Milestone, stop: AbortSignal): Promise<boolean>;
}

type ReadStatuses = (
  intentIds: readonly IntentId[],
) => Promise<ReadonlyMap<IntentId, IntentStatus>>;

interface Waiter {
  readonly intentId: IntentId;
  readonly open: readonly IntentStatus[];
  readonly end: (hasReached: boolean) => void;
}

const OPEN: Readonly<Record<Milestone, readonly IntentStatus[]>> = {
  decided: ['created'],
  settled: ['created', 'authorized'],
};
const READ_EVERY_MS = 10;
/** Reads take a tenth of the time, however many rows there are, unless Postgres takes longer than 55 ms. */
const PAUSE_PER_READ = 9;
/** Also while Postgres is away: those who wait are then answered by their workflows, or by nothing until they stop. */
const READ_EVERY_AT_LEAST_MS = 500;

export function createRowWatch(readStatuses: ReadStatuses): RowWatch {
  const waiters = new Set<Waiter>();
  /** @returns how long to pause before the next one */
  const read = async (): Promise<number> => {
    const startedAt = performance.now();
    const statuses = await readStatuses([...new Set([...waiters].map((one) => one.intentId))]);
    for (const { intentId, open, end } of waiters) {
      const status = statuses.get(intentId);
      if (status !== undefined && !open.includes(status)) end(true);
    }
    const shareMs = PAUSE_PER_READ * (performance.now() - startedAt);
    return Math.min(Math.max(READ_EVERY_MS, shareMs), READ_EVERY_AT_LEAST_MS);
  };
  let isReading = false;
  const readWhileAnyWaits = async () => {
    isReading = true;
    let pauseMs = READ_EVERY_MS;
    do {
      await pause(pauseMs);
      if (waiters.size > 0) pauseMs = await read().catch(() => READ_EVERY_AT_LEAST_MS);
    } while (waiters.size > 0);
    isReading = false;
  };
  return {
    until(intentId, milestone, stop) {
      if (stop.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const onStop = () => {
          waiter.end(false);
        };
        const waiter: Waiter = {
          ...{ intentId, open: OPEN[milestone] },
          end(hasReached) {
            waiters.delete(waiter);
            stop.removeEventListener('abort', onStop);
            resolve(hasReached);
          },
        };
        stop.addEventListener('abort', onStop, { once: true });
        waiters.add(waiter);
        if (!isReading) void readWhileAnyWaits();
      });
    },
  };
}
