// Work that many callers want at once, done once for all who wait (decision 112).
import { setImmediate as endOfTurn } from 'node:timers/promises';

/**
 * @param run at most one is under way at any time
 * @returns a function that answers with a run which begins after the call: at the end of this turn of the event loop, so that
 * the other requests of the turn share it, or when the one that is under way has ended
 */
export function createSharedRun<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    underWay = run().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  return () => (next ??= (underWay === undefined ? endOfTurn() : settled(underWay)).then(begin));
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => undefined);
}
