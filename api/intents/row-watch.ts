// Confirms in this process that wait for the same row share their reads of it: each on its own would ask the database again
// and again for what they all want to know.
import { setTimeout as pause } from 'node:timers/promises';
import type { IntentId } from '../../src/domain/ids';

export interface RowWatch {
  /**
   * Comes back with true when the row is decided, which it then is for good, and with false when told to stop.
   * @throws what a read throws
   */
  untilDecided(intentId: IntentId, stop: AbortSignal): Promise<boolean>;
}

/** The usual answer comes from the run, not from here: what takes long is read less and less often. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;

export function createRowWatch(isUndecided: (intentId: IntentId) => Promise<boolean>): RowWatch {
  const reads = new Map<IntentId, Promise<boolean>>();
  /** At most one read in {@link FIRST_WAIT_MS} for each row, however many wait for it. */
  const read = (intentId: IntentId): Promise<boolean> => {
    const begun = isUndecided(intentId);
    reads.set(intentId, begun);
    const forget = () => reads.delete(intentId);
    // A failed read shows that Postgres is away. Only the callers that waited for this read get that failure.
    begun.then(() => setTimeout(forget, FIRST_WAIT_MS).unref(), forget);
    return begun;
  };
  return {
    async untilDecided(intentId, stop) {
      const stopped = new Promise<void>((resolve) => {
        stop.addEventListener('abort', () => resolve(), { once: true });
      });
      for (
        let waitMs = FIRST_WAIT_MS;
        !stop.aborted;
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
      ) {
        // A read that hangs keeps nobody beyond the signal.
        const found = await Promise.race([reads.get(intentId) ?? read(intentId), stopped]);
        if (found === false) return true;
        await pause(waitMs, undefined, { signal: stop }).catch(() => undefined);
      }
      return false;
    },
  };
}
