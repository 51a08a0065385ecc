// Throughput of several sides in one run: blocks of prepared requests, in rounds that go there and back over the sides.
import type { Block, BlockResult } from './load-client';
import {
  CONTROL,
  measureInRounds,
  progressOf,
  REFERENCE,
  type Readings,
  type Round,
} from './rounds';
import { shuffled } from './random';
import type { Stand } from './stand';

export interface Side {
  readonly port: number;
  /** One more request, as bytes. */
  readonly make: () => Uint8Array;
}

interface Comparison {
  /** For the lines of progress. */
  readonly title: string;
  readonly reference: Side;
  readonly ours: Readonly<Record<string, Side>>;
  readonly inFlight: number;
  /** @throws Error when a side did not answer what it is measured for */
  readonly check: (result: BlockResult) => void;
}

/** A side with the number of requests that it answers in about the time of a block. */
interface Lane extends Side {
  readonly name: string;
  readonly count: number;
}

/** Short, so that whatever else the machine does meets all sides alike. */
export const BLOCK_MS = 100;
/** There and back this often in a round, which is one pair of each side with the reference. */
const LAPS = 2;
const BLOCK_REQUESTS_MAX = 10_000;
const FIRST_BLOCK_REQUESTS = 500;
const WARM_UP_MS = 3_000;
const BOUNDS = { roundsMin: 15, roundsMax: 250, timeoutMs: 300_000 };
const QUICK_WARM_UP_MS = 300;
const QUICK_BOUNDS = { roundsMin: 2, roundsMax: 2, timeoutMs: 10_000 };

/** Requests a second by side, each against the reference; the control is the reference under another name. */
export async function compareThroughput(comparison: Comparison, stand: Stand): Promise<Readings> {
  const { title, reference, ours } = comparison;
  const lanes: Lane[] = [];
  for (const [name, side] of Object.entries({ [REFERENCE]: reference, ...ours })) {
    lanes.push({ ...side, name, count: await warmUp(side, comparison, stand) });
  }
  const again = lanes.filter(({ name }) => name === REFERENCE);
  lanes.push(...again.map((lane) => ({ ...lane, name: CONTROL })));
  return measureInRounds({
    measureRound: () => measureRound(lanes, comparison, stand),
    watched: [],
    bounds: stand.isQuick ? QUICK_BOUNDS : BOUNDS,
    random: stand.random,
    tell: (readings) => {
      stand.tell(`${title}: ${progressOf(readings)}`);
    },
  });
}

/** Until compilers and caches have settled. @returns how many requests make a block */
async function warmUp(side: Side, comparison: Comparison, stand: Stand): Promise<number> {
  const untilMs = performance.now() + (stand.isQuick ? QUICK_WARM_UP_MS : WARM_UP_MS);
  let perMs = 0;
  while (perMs === 0 || performance.now() < untilMs) {
    const block = prepare({ ...side, count: FIRST_BLOCK_REQUESTS }, comparison);
    perMs = FIRST_BLOCK_REQUESTS / (await runBlock(block, comparison, stand));
  }
  return Math.min(BLOCK_REQUESTS_MAX, Math.ceil(perMs * BLOCK_MS));
}

/**
 * Every side twice a lap, there and back: the ABBA of two sides for any number of them, so that what rises or falls through a
 * round weighs on all alike. The order is drawn anew each lap, so that no side always follows the same other one.
 */
async function measureRound(
  lanes: readonly Lane[],
  comparison: Comparison,
  stand: Stand,
): Promise<Round> {
  const laps = Array.from({ length: LAPS }, () => shuffled(lanes, stand.random));
  const order = laps.flatMap((there) => [...there, ...there.toReversed()]);
  // All requests of the round are made before the first is sent.
  const blocks = order.map((lane) => ({ lane, block: prepare(lane, comparison) }));
  const elapsedMs = new Map<string, number>();
  for (const { lane, block } of blocks) {
    const ms = await runBlock(block, comparison, stand);
    elapsedMs.set(lane.name, (elapsedMs.get(lane.name) ?? 0) + ms);
  }
  return new Map(
    lanes.map(({ name, count }) => [
      name,
      (2 * LAPS * count * 1_000) / (elapsedMs.get(name) ?? Number.NaN),
    ]),
  );
}

function prepare({ port, make, count }: Omit<Lane, 'name'>, { inFlight }: Comparison): Block {
  return { port, inFlight, requests: Array.from({ length: count }, make) };
}

async function runBlock(block: Block, { check }: Comparison, { world }: Stand): Promise<number> {
  const result = await world.load.run(block);
  check(result);
  return result.elapsedMs;
}
