// Elapsed time that a paused machine cannot hide, for what must not happen too late.
import type { Stopwatch } from '../ports/clock';

/**
 * The further of two clocks. The monotonic one cannot be set back, but Linux stops it while the machine is suspended. The wall
 * clock goes on then, but can be set back. A virtual machine that is paused with both of them is not noticed. A wall clock that is
 * set forward makes a payout late: nothing is sent, and it is tried again.
 */
export function startStopwatch(): Stopwatch {
  const [monotonicMs, wallMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
