// Times of answers at a steady pace below what any side can take (open loop): from the instant at which each request was to be
// sent, so that what waits behind a slow answer counts as slow too.
import { lanesOf, roundOf, runLaps, type Comparison, type LapResult } from '../figures/comparison';
import { percentilesOf, resultsOf, type Findings, type Judge } from '../figures/report';
import { measureInRounds, type Bounds } from '../figures/rounds';
import { median } from '../figures/statistics';
import type { Stand } from '../stand';

export interface Pace {
  readonly perSecond: number;
  readonly blockRequests: number;
  readonly bounds: Bounds;
}

const WARM_UP_ROUNDS = 2;

/** @param judge of the rounds' medians in µs; without it the times are told and not judged */
export async function compareLatency(
  comparison: Comparison,
  judge: Judge | undefined,
  { perSecond, blockRequests, bounds }: Pace,
  stand: Stand,
): Promise<Findings> {
  const { title, nameOf } = comparison;
  const lanes = await lanesOf(comparison, () => Promise.resolve(blockRequests));
  const measure = () => runLaps({ comparison, lanes, laps: 1, perSecond }, stand);
  for (let round = 0; round < (stand.isQuick ? 1 : WARM_UP_ROUNDS); round += 1) {
    stand.tell(`${title}: warming up`);
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
    results: judge === undefined ? [] : resultsOf(readings, nameOf, judge),
    percentiles: [...times].map(([side, some]) => percentilesOf(title, side, some)),
  };
}

function timesUs(blocks: readonly LapResult[]): readonly number[] {
  return blocks.flatMap(({ latenciesUs }) => [...latenciesUs]);
}
