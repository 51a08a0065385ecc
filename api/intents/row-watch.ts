// One look-out per intent for every confirm in this process that waits for its row: each on its own would ask the
// database again and again for what they all want to know.
import { setTimeout as pause } from 'node:timers/promises';
import type { IntentId } from '../../src/domain/ids';

export interface RowWatch {
  /**
   * Comes back with true when the row is decided, which it then is for good, and with false when told to stop.
   * @throws what a look throws, to everybody who waits
   */
  untilDecided(intentId: IntentId, stop: AbortSignal): Promise<boolean>;
}

interface RowWatchOptions {
  readonly isUndecided: (intentId: IntentId) => Promise<boolean>;
  /** Between two looks; cut short by the signal, and never throwing. */
  readonly wait?: (ms: number, stop: AbortSignal) => Promise<void>;
}

/** The usual answer comes from the run, not from here: what takes long is looked at less and less often. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;

interface Watch {
  readonly decided: Promise<boolean>;
  readonly over: AbortController;
  waiting: number;
}

export function createRowWatch({ isUndecided, wait = waitFor }: RowWatchOptions): RowWatch {
  const watches = new Map<IntentId, Watch>();
  const look = async (intentId: IntentId, over: AbortSignal): Promise<boolean> => {
    for (let waitMs = FIRST_WAIT_MS; await isUndecided(intentId); waitMs *= 2) {
      await wait(Math.min(waitMs, LONGEST_WAIT_MS), over);
      if (over.aborted) return false;
    }
    return true;
  };
  const forget = (intentId: IntentId, watch: Watch) => {
    watch.over.abort();
    if (watches.get(intentId) === watch) watches.delete(intentId);
  };
  const begin = (intentId: IntentId): Watch => {
    const over = new AbortController();
    const watch: Watch = { decided: look(intentId, over.signal), over, waiting: 0 };
    watches.set(intentId, watch);
    // Whoever comes after its end begins another: what this one found may have been that Postgres is away.
    watch.decided.then(
      () => {
        forget(intentId, watch);
      },
      () => {
        forget(intentId, watch);
      },
    );
    return watch;
  };
  return {
    async untilDecided(intentId, stop) {
      if (stop.aborted) return false;
      const watch = watches.get(intentId) ?? begin(intentId);
      watch.waiting += 1;
      try {
        return await firstOf(watch.decided, stop);
      } finally {
        watch.waiting -= 1;
        if (watch.waiting === 0) forget(intentId, watch);
      }
    },
  };
}

/** Leaves nothing behind on a signal that outlives the wait. */
function firstOf(decided: Promise<boolean>, stop: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stopped = () => {
      resolve(false);
    };
    stop.addEventListener('abort', stopped, { once: true });
    decided.then(resolve, reject).finally(() => {
      stop.removeEventListener('abort', stopped);
    });
  });
}

async function waitFor(ms: number, stop: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: stop }).catch(() => undefined);
}
