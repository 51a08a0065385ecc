// Measures the throughput of several sides: each connection sends as soon as it has its answer
// (closed loop).
import {
  finish,
  lanesOf,
  roundOf,
  runLaps,
  sendBlock,
  type Comparison,
  type Lane,
  type LapResult,
  type Side,
} from '../figures/comparison';
import { createCpuTotals } from '../figures/cpu-times';
import { resultsOf, type Findings, type Evaluator } from '../figures/report';
import { measureInRounds, type Bounds } from '../figures/rounds';
import type { Stand } from '../stand';

/** How much is sent. */
export interface Volume {
  readonly blockMs: number;
  /** Applies to a side that leaves workflows in Temporal's memory. */
  readonly blockRequestsMax: number;
  /** Laps forth and back in a round. A round gives one ratio of each side to the reference. */
  readonly laps: number;
  /** The share of each block that is sent first and is not counted. */
  readonly uncountedShare: number;
  readonly firstBlockRequests: number;
  /**
   * Counts only time spent sending, so that a side which settles for long gets as many warm-up
   * requests.
   */
  readonly warmUpMs: number;
  readonly bounds: Bounds;
}

/** Short blocks, so that other load on the machine affects all sides alike. */
export const BLOCK_MS = 100;
const USUAL: Volume = {
  blockMs: BLOCK_MS,
  blockRequestsMax: Number.POSITIVE_INFINITY,
  laps: 2,
  uncountedShare: 0,
  firstBlockRequests: 500,
  warmUpMs: 3_000,
  bounds: { roundsMin: 15, roundsMax: 250, timeoutMs: 300_000 },
};
/**
 * The limit for workflows in an in-memory dev server. At 4 GB, some 89 000 waiting workflows, its
 * SQLite begins a journal in memory that grows by 160 MB a second, until the machine has no memory
 * left and Postgres stops answering.
 */
const LEFT_MAX_KB = 3_400_000;
/** The part of that limit that the warm-up of one side may use. */
const WARM_UP_LEFT_MAX_KB = 500_000;
/**
 * Limit for a side that leaves no workflow: its requests of half a kilobyte are made beforehand.
 */
const PREPARED_MAX = 80_000;
const QUICK_BLOCK_REQUESTS = 64;
const QUICK_WARM_UP_MS = 300;

/** Compares the requests a second of each side with the reference. */
export async function compareThroughput(
  comparison: Comparison,
  evaluate: Evaluator,
  stand: Stand,
  changed: Partial<Volume> = {},
): Promise<Findings> {
  const volume = { ...USUAL, ...changed };
  let freeKb = LEFT_MAX_KB;
  const countOf = async (side: Side) => {
    const { sent, count } = await warmUp(side, { comparison, volume }, stand);
    freeKb -= sent * (side.leavesKb ?? 0);
    return count;
  };
  const warm = await lanesOf(comparison, countOf, volume.uncountedShare);
  const { lanes, bounds } = withinMemory(warm, volume, freeKb);
  const laps = { comparison, lanes, laps: stand.isQuick ? 1 : volume.laps };
  const { title, nameOf } = comparison;
  const cpuTotals = createCpuTotals(title);
  const measureRound = async () => {
    const results = await runLaps(laps, stand);
    for (const [side, blocks] of results) {
      for (const { requests, cpuMs } of blocks) cpuTotals.add(side, requests, cpuMs);
    }
    return roundOf(results, perSecond);
  };
  const readings = await measureInRounds({ title, measureRound, bounds }, stand);
  return { results: resultsOf(readings, nameOf, evaluate), cpu: cpuTotals.costs() };
}

/** Shrinks blocks where the least number of rounds would fill the server, and limits the rounds. */
function withinMemory(
  lanes: readonly Lane[],
  { bounds, laps }: Volume,
  freeKb: number,
): { readonly lanes: readonly Lane[]; readonly bounds: Bounds } {
  const leftARound =
    lanes.reduce((sum, lane) => sum + lane.count * (lane.leavesKb ?? 0), 0) * 2 * laps;
  const share = Math.min(1, freeKb / (leftARound * bounds.roundsMin));
  const roundsMax = Math.min(bounds.roundsMax, Math.floor(freeKb / (leftARound * share)));
  return {
    lanes: lanes.map((lane) => ({
      ...lane,
      count: Math.max(1, Math.floor(lane.count * share)),
      uncounted: Math.floor(lane.uncounted * share),
    })),
    bounds: { ...bounds, roundsMax },
  };
}

function perSecond(blocks: readonly LapResult[]): number {
  const answers = blocks.reduce((sum, { latenciesUs }) => sum + latenciesUs.length, 0);
  return (answers * 1_000) / blocks.reduce((sum, { wholeMs }) => sum + wholeMs, 0);
}

interface WarmUp {
  readonly comparison: Comparison;
  readonly volume: Volume;
}

/**
 * Sends until compilers and caches have settled.
 * @returns the requests sent, and the size of a block
 */
async function warmUp(
  side: Side,
  { comparison: { inFlight, answer, title }, volume }: WarmUp,
  stand: Stand,
): Promise<{ readonly sent: number; readonly count: number }> {
  const enoughMs = stand.isQuick ? QUICK_WARM_UP_MS : volume.warmUpMs;
  const first = stand.isQuick ? QUICK_BLOCK_REQUESTS : volume.firstBlockRequests;
  const sentMax = WARM_UP_LEFT_MAX_KB / (side.leavesKb ?? 0);
  let perMs = 0;
  let sent = 0;
  for (let sentMs = 0; sentMs < enoughMs && sent < sentMax;) {
    const requests = await side.prepare(first);
    const result = await sendBlock({ port: side.port, inFlight, requests, answer }, stand);
    const tookMs = await finish(side, result);
    sent += first;
    sentMs += tookMs;
    perMs = first / tookMs;
    await side.settle?.();
    stand.printProgress(`${title}: warming up`);
  }
  return {
    sent,
    count: Math.min(blockMax(side, volume, stand), Math.ceil(perMs * volume.blockMs)),
  };
}

function blockMax({ leavesKb }: Side, volume: Volume, { isQuick }: Stand): number {
  if (isQuick) return 4 * QUICK_BLOCK_REQUESTS;
  return leavesKb === undefined ? PREPARED_MAX : volume.blockRequestsMax;
}
