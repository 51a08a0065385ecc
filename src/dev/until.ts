// Waits for a condition, always with a time limit: the local stack and its tests never sleep for a
// fixed time.
import { setTimeout as pause } from 'node:timers/promises';

interface Bounds {
  readonly timeoutMs: number;
  readonly everyMs?: number;
}

/** Resolves to true as soon as the condition holds, and to false after the timeout. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs = 25 }: Bounds,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await pause(everyMs);
  }
  return true;
}
