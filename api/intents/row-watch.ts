// Lets confirms of this process wait for their intent rows with one shared, repeated read. Waiting
// for the row is faster than waiting for the workflow: its task may still send the webhook before
// it answers.
import { setTimeout as pause } from 'node:timers/promises';
import type { IntentId } from '../../src/domain/ids';
import type { IntentStatus } from '../../src/domain/intents/payment-intent';

/** `decided`: no longer `created`. `settled`: no longer `created` or `authorized`. */
type Milestone = 'decided' | 'settled';

export type RowWatch = ReturnType<typeof createRowWatch>;

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
/** A pause is nine times its read, so reads use a tenth of the time if they take 55 ms at most. */
const PAUSE_PER_READ = 9;
/** The longest pause, also after a failed read. Only the workflow can answer in the meantime. */
const READ_EVERY_AT_LEAST_MS = 500;

export function createRowWatch(readStatuses: ReadStatuses) {
  const waiters = new Set<Waiter>();
  /** @returns how long to pause before the next read, milliseconds */
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
    /** Resolves true when a read shows that the row has reached the milestone, false on `stop`. */
    until(intentId: IntentId, milestone: Milestone, stop: AbortSignal): Promise<boolean> {
      if (stop.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const onStop = () => waiter.end(false);
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
