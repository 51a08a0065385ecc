// The arithmetic of the figures.
import { createRandom, shuffled } from '../load/random';
import { distanceFromOne, halfWidth, median, ratioInterval } from './statistics';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe('ratioInterval', () => {
  it('has no width when all pairs agree', () => {
    expect(ratioInterval(Array<number>(15).fill(0.6), createRandom(1))).toEqual({
      ratio: 0.6,
      low: 0.6,
      high: 0.6,
    });
  });

  it('is not moved by one pair that was disturbed', () => {
    const ratios = [...Array<number>(20).fill(1), 0.01];
    expect(ratioInterval(ratios, createRandom(1)).ratio).toBe(1);
  });

  it('holds the true ratio in about 95 of 100 runs', () => {
    const random = createRandom(4);
    const runs = range(40).map(() =>
      ratioInterval(
        range(31).map(() => 1 + (random() - 0.5) * 0.2),
        random,
      ),
    );
    const held = runs.filter((interval) => distanceFromOne(interval) === 0).length;
    expect(held / runs.length).toBeGreaterThanOrEqual(0.85);
  });
});

describe('an interval', () => {
  it.each([
    [{ ratio: 1, low: 0.98, high: 1.02 }, 0],
    [{ ratio: 1.05, low: 1.04, high: 1.06 }, 0.04],
    [{ ratio: 0.9, low: 0.8, high: 0.95 }, 0.05],
  ])('%j is %d away from 1', (interval, expected) => {
    expect(distanceFromOne(interval)).toBeCloseTo(expected, 10);
  });

  it('has a half-width', () => {
    expect(halfWidth({ ratio: 1, low: 0.98, high: 1.04 })).toBeCloseTo(0.03, 10);
  });
});

describe('random order', () => {
  it('is repeated by its seed', () => {
    const draw = (seed: number) => shuffled(range(50), createRandom(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('shuffles without losing anything', () => {
    const order = shuffled(range(100), createRandom(1));
    expect(order).not.toEqual(range(100));
    expect(order.toSorted((one, other) => one - other)).toEqual(range(100));
  });
});
