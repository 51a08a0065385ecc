// Elapsed time goes by whichever clock is further: neither a sleeping machine nor a clock that is set back hides it.
import { startStopwatch } from '../../src/main/stopwatch';

afterEach(() => jest.restoreAllMocks());

/** What the stopwatch says when the two clocks have gone on by that much. */
function elapsed(monotonicMs: number, wallMs: number): number {
  const monotonic = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const wall = jest.spyOn(Date, 'now').mockReturnValue(1_767_225_600_000);
  const elapsedMs = startStopwatch();
  monotonic.mockReturnValue(1_000 + monotonicMs);
  wall.mockReturnValue(1_767_225_600_000 + wallMs);
  return elapsedMs();
}

it.each([
  ['both went on', 60_000, 60_000],
  ['the machine slept, so that the monotonic clock stood still', 5, 60_000],
  ['the wall clock was set back by an hour', 60_000, -3_540_000],
])('says a minute when %s', (_what, monotonicMs, wallMs) => {
  expect(elapsed(monotonicMs, wallMs)).toBe(60_000);
});
