// A slow connection delays, and never reorders or loses: what TCP promises holds there too.
import { createLane } from '../support/slow-lane';

describe('a lane', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('delivers at once while it is not slow', () => {
    const got: number[] = [];
    createLane(() => 0).later(() => got.push(1));
    expect(got).toEqual([1]);
  });

  it('delivers as late as it is slow', () => {
    const got: number[] = [];
    createLane(() => 100).later(() => got.push(1));
    jest.advanceTimersByTime(99);
    expect(got).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(got).toEqual([1]);
  });

  it('keeps the order when it becomes fast while something is on its way', () => {
    const got: number[] = [];
    let delayMs = 100;
    const lane = createLane(() => delayMs);
    lane.later(() => got.push(1));
    delayMs = 0;
    lane.later(() => got.push(2));
    expect(got).toEqual([]);
    jest.advanceTimersByTime(100);
    lane.later(() => got.push(3));
    expect(got).toEqual([1, 2, 3]);
  });

  it('delivers everything, in the order in which it was sent', () => {
    const got: number[] = [];
    const delays = [300, 20, 250, 1, 0, 90];
    const sent = [...delays.keys()];
    let next = 0;
    const lane = createLane(() => delays[next++] ?? 0);
    for (const number of sent) lane.later(() => got.push(number));
    jest.advanceTimersByTime(1_000);
    expect(got).toEqual(sent);
  });
});
