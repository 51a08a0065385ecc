// Figures from noisy samples: medians, and between which bounds a ratio of two sides lies (docs/benchmarks.md, "Method").
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
 * The median of the pairs' ratios, and where it falls in 95 of 100 resamples of the pairs (percentile bootstrap). The
 * median, since one pair that something else on the machine disturbed must not move the figure.
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

/** By linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
}
