// Times of answers at a steady pace below what any side can take (open loop): from the instant at which each request was to be
// sent, so that what waits behind a slow answer counts as slow too.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { lanesOf, roundOf, runLaps, type Comparison, type LapResult } from './comparison';
import type { Percentiles } from './report';
import { measureInRounds, progressOf, type Bounds, type Readings } from './rounds';
import { median } from './statistics';
import type { Stand } from './stand';

export interface Pace {
  readonly perSecond: number;
  readonly blockRequests: number;
  readonly warmUpRounds: number;
  readonly bounds: Bounds;
}

export interface Latencies {
  /** Medians of rounds, in µs. */
  readonly readings: Readings;
  /** Of all requests of all rounds, by HDR histogram. */
  readonly percentiles: readonly Percentiles[];
}

const QUICK_BOUNDS = { roundsMin: 2, roundsMax: 2, timeoutMs: 10_000 };
const LAPS = 1;
/** Three significant digits, up to a block's longest answer. */
const HISTOGRAM = { figures: 3, lowest: 1, highest: 60_000_000 };

export async function compareLatency(
  comparison: Comparison,
  pace: Pace,
  stand: Stand,
): Promise<Latencies> {
  const { title } = comparison;
  const lanes = await lanesOf(comparison, () => Promise.resolve(pace.blockRequests));
  const histograms = new Map(lanes.map(({ name }) => [name, createHistogram(HISTOGRAM)]));
  const { perSecond } = pace;
  const measure = () => runLaps({ comparison, lanes, laps: LAPS, perSecond }, stand);
  for (let round = 0; round < (stand.isQuick ? 1 : pace.warmUpRounds); round += 1) {
    stand.tell(`${title}: warming up`);
    await measure();
  }
  let rounds = 0;
  const readings = await measureInRounds({
    measureRound: async () => {
      rounds += 1;
      stand.tell(`${title}: round ${rounds}`);
      const results = await measure();
      for (const [name, blocks] of results) keep(histograms.get(name), blocks);
      return roundOf(results, medianUs);
    },
    watched: [],
    bounds: stand.isQuick ? QUICK_BOUNDS : pace.bounds,
    random: stand.random,
    tell: (soFar) => {
      stand.tell(`${title}: ${progressOf(soFar)}`);
    },
  });
  return {
    readings,
    percentiles: [...histograms].map(([side, one]) => percentilesOf(title, side, one)),
  };
}

function medianUs(blocks: readonly LapResult[]): number {
  return median(blocks.flatMap(({ latenciesUs }) => [...latenciesUs]));
}

function keep(histogram: RecordableHistogram | undefined, blocks: readonly LapResult[]): void {
  for (const { latenciesUs } of blocks) {
    for (const us of latenciesUs) histogram?.record(Math.max(1, Math.round(us)));
  }
}

function percentilesOf(name: string, side: string, histogram: RecordableHistogram): Percentiles {
  return {
    name,
    side,
    requests: histogram.count,
    p50_us: histogram.percentile(50),
    p90_us: histogram.percentile(90),
    p99_us: histogram.percentile(99),
    max_us: histogram.max,
  };
}
