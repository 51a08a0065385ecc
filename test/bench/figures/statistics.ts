// Figures from noisy samples: medians, and the interval of a ratio of two sides
// (docs/benchmarks.md, "Method").
import type { Random } from '../load/random';

/** A ratio with its 95 % interval. */
export interface Interval {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2_000;
const CONFIDENCE = 0.95;

export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();
  return quantile(sorted, 0.5);
}

/**
 * The median of the ratios, and the interval of the median in 95 of 100 resamples (percentile
 * bootstrap). One pair that other load on the machine disturbed must not move the figure, so it is
 * the median.
 */
export function ratioInterval(ratios: readonly number[], random: Random): Interval {
  const drawn = new Float64Array(ratios.length);
  const medians = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    for (let index = 0; index < drawn.length; index += 1) {
      drawn[index] = ratios[Math.floor(random() * ratios.length)] ?? Number.NaN;
    }
    medians[resample] = quantile(drawn.sort(), 0.5);
  }
  medians.sort();
  const tail = (1 - CONFIDENCE) / 2;
  return {
    ratio: median(ratios),
    low: quantile(medians, tail),
    high: quantile(medians, 1 - tail),
  };
}

export function halfWidth({ low, high }: Interval): number {
  return (high - low) / 2;
}

/** How far 1 lies outside the interval; 0 when it lies within. */
export function distanceFromOne({ low, high }: Interval): number {
  return Math.max(0, low - 1, 1 - high);
}

/** Uses linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
}
