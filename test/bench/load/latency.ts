// Measures answer times at a steady pace below the capacity of any side (open loop). Each time
// starts when its request is due, so that a request behind a slow answer counts as slow too.
import { lanesOf, roundOf, runLaps, type Comparison, type LapResult } from '../figures/comparison';
import { percentilesOf, resultsOf, type Findings, type Evaluator } from '../figures/report';
import { measureInRounds, type Bounds } from '../figures/rounds';
import { median } from '../figures/statistics';
import type { Stand } from '../stand';

export interface Pace {
  readonly perSecond: number;
  readonly blockRequests: number;
  readonly bounds: Bounds;
}

const WARM_UP_ROUNDS = 2;

/** @param evaluate takes the medians of the rounds in µs; without it the times are only reported */
export async function compareLatency(
  comparison: Comparison,
  evaluate: Evaluator | undefined,
  { perSecond, blockRequests, bounds }: Pace,
  stand: Stand,
): Promise<Findings> {
  const { title, nameOf } = comparison;
  const lanes = await lanesOf(comparison, () => Promise.resolve(blockRequests));
  const measure = () => runLaps({ comparison, lanes, laps: 1, perSecond }, stand);
  for (let round = 0; round < (stand.isQuick ? 1 : WARM_UP_ROUNDS); round += 1) {
    stand.printProgress(`${title}: warming up`);
    await measure();
  }
  const times = new Map<string, number[]>();
  const measureRound = async () => {
    const results = await measure();
    for (const [side, blocks] of results) {
      times.set(side, [...(times.get(side) ?? []), ...timesUs(blocks)]);
    }
    return roundOf(results, (blocks) => median(timesUs(blocks)));
  };
  const readings = await measureInRounds({ title, measureRound, bounds }, stand);
  return {
    results: evaluate === undefined ? [] : resultsOf(readings, nameOf, evaluate),
    percentiles: [...times].map(([side, some]) => percentilesOf(title, side, some)),
  };
}

function timesUs(blocks: readonly LapResult[]): readonly number[] {
  return blocks.flatMap(({ latenciesUs }) => [...latenciesUs]);
}
