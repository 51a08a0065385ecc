// Work that many callers want at once, done once for all who wait (decision 112).

/**
 * @param run at most one is under way at any time
 * @returns a function that answers with a run which began after the call: never one that was under way already
 */
export function createSharedRun<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    current = run().finally(() => {
      current = undefined;
    });
    return current;
  };
  return () => {
    if (current === undefined) return begin();
    next ??= settled(current).then(() => {
      next = undefined;
      return current ?? begin();
    });
    return next;
  };
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => undefined);
}
