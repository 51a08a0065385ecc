// Measures elapsed time, also across a suspended machine, for actions that must not happen too
// late.
import type { Stopwatch } from '../ports/clock';

/**
 * Returns the larger elapsed time of two clocks. The monotonic clock cannot be set back, but Linux
 * stops it while the machine is suspended. The wall clock runs on then, but can be set back. A
 * paused virtual machine stops both, which is not noticed. A wall clock that is set forward makes a
 * payout look late: nothing is sent, and the payout is tried again.
 */
export function startStopwatch(): Stopwatch {
  const [monotonicMs, wallMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
