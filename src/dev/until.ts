// Waiting on conditions, always with a bound: the local stack and its tests never sleep for a fixed time.
import { setTimeout as pause } from 'node:timers/promises';

interface Bounds {
  readonly timeoutMs: number;
  readonly everyMs?: number;
}

/** True as soon as the condition holds, false when the time is over. */
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
