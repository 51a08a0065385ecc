// Compares sides by blocks of requests. Each lap visits the sides in one order and then back, so
// that a drift within a round affects all sides alike.
import { cpuBetween, type CpuTimes } from './cpu-times';
import type { Block, BlockResult } from '../load/load-client';
import { CONTROL, REFERENCE, thereAndBack, type Round } from './rounds';
import type { Stand } from '../stand';
import type { World } from '../world';

export interface Side {
  readonly port: number;
  /** Makes that many further requests, as bytes. Each is sent once. */
  readonly prepare: (count: number) => Promise<readonly Uint8Array[]>;
  /**
   * Waits for work that an answer leaves behind. A throughput includes this time. The side sets its
   * bound.
   */
  readonly finish?: () => Promise<void>;
  /**
   * The memory that the workflow of one request occupies in the Temporal dev server. Absent without
   * a workflow.
   */
  readonly leavesKb?: number;
  /**
   * Waits until no work of a block is left that could slow the next one. No figure includes this
   * time.
   */
  readonly settle?: () => Promise<void>;
}

/**
 * Server memory of a waiting workflow and of a completed payment or bare flow, measured after many
 * of them (Temporal CLI 1.9.1).
 */
export const WAITING_WORKFLOW_KB = 45;
export const COMPLETED_WORKFLOW_KB = 150;

export interface Comparison {
  /** Appears in the progress lines. */
  readonly title: string;
  /** The name of a side's figure, with its unit at the end. */
  readonly nameOf: (side: string) => string;
  readonly reference: Side;
  readonly ours: Side;
  /** The number of connections. Each has at most one open request. */
  readonly inFlight: number;
  /** Every answer of every side must match it. Times of different answers are not comparable. */
  readonly answer: Answer;
  /**
   * Sends ours as many further blocks, uncounted, as the reference gets for the control. Where both
   * sides are the same program, the one that has answered more requests would otherwise be faster.
   */
  readonly isEven?: boolean;
}

export interface Answer {
  readonly status: string;
  /** A part of its body. */
  readonly contains: string;
}

/** A side with the size of its blocks. */
export interface Lane extends Side {
  readonly name: string;
  readonly count: number;
  /** The number of requests at the beginning of a block that are not counted. */
  readonly uncounted: number;
  readonly isCounted: boolean;
}

/** Prepares requests by calling `make` once for each. */
export function eachMadeBy(make: () => Uint8Array): Side['prepare'] {
  return (count) => Promise.resolve(Array.from({ length: count }, make));
}

/** The part of a stand that is needed to send blocks. */
type Sending = Pick<Stand, 'random'> & { readonly world: Pick<World, 'load' | 'cpuTimes'> };

/** @throws Error when an answer differs from the expected one */
export async function sendBlock(
  { port, answer, ...block }: Omit<Block, 'contains'> & { readonly answer: Answer },
  { world }: { readonly world: Pick<World, 'load'> },
): Promise<BlockResult> {
  const result = await world.load.run({ ...block, port, contains: answer.contains });
  const { statuses, unexpected } = result;
  if (statuses.join() === answer.status && unexpected === undefined) return result;
  throw new Error(`unexpected answer: ${statuses.join()} ${unexpected ?? result.body}`);
}

/** Makes the lanes of both sides, and of the control, which is the reference under another name. */
export async function lanesOf(
  { reference, ours, isEven = false }: Comparison,
  countOf: (side: Side) => Promise<number>,
  uncountedShare = 0,
): Promise<readonly Lane[]> {
  const laneOf = async (name: string, side: Side): Promise<Lane> => {
    const count = await countOf(side);
    return { ...side, name, count, uncounted: Math.floor(count * uncountedShare), isCounted: true };
  };
  const first = await laneOf(REFERENCE, reference);
  const second = await laneOf('ours', ours);
  const even = isEven ? [{ ...second, isCounted: false }] : [];
  return [first, second, { ...first, name: CONTROL }, ...even];
}

interface Laps {
  readonly comparison: Comparison;
  readonly lanes: readonly Lane[];
  /** How often the lanes are visited forth and back. */
  readonly laps: number;
  /** Requests a second, evenly. Without it each connection sends as soon as it has its answer. */
  readonly perSecond?: number;
}

export interface LapResult extends BlockResult {
  /** The time of the block, including `finish`. */
  readonly wholeMs: number;
  /** The CPU time of all requests of the block, including the work that they left behind. */
  readonly cpuMs: CpuTimes;
  readonly requests: number;
}

/** Sends a block of every side twice a lap, forth and back. */
export async function runLaps(
  { comparison, lanes, laps, ...pace }: Laps,
  stand: Sending,
): Promise<ReadonlyMap<string, readonly LapResult[]>> {
  const { inFlight, answer } = comparison;
  const { world } = stand;
  // Making a request must not take CPU from a measured block, so all are made beforehand.
  const blocks: { readonly lane: Lane; readonly requests: readonly Uint8Array[] }[] = [];
  for (const lane of thereAndBack(lanes, laps, stand.random)) {
    blocks.push({ lane, requests: await lane.prepare(lane.count) });
  }
  const results = new Map<string, LapResult[]>(lanes.map(({ name }) => [name, []]));
  for (const { lane, requests } of blocks) {
    const { port, uncounted } = lane;
    const before = world.cpuTimes();
    const block = { port, inFlight, requests, uncounted, ...pace };
    const result = await sendBlock({ ...block, answer }, stand);
    const wholeMs = await finish(lane, result);
    await lane.settle?.();
    const cpuMs = cpuBetween(before, world.cpuTimes());
    if (!lane.isCounted) continue;
    results.get(lane.name)?.push({ ...result, wholeMs, cpuMs, requests: requests.length });
  }
  return results;
}

export async function finish({ finish: wait }: Side, { elapsedMs }: BlockResult): Promise<number> {
  if (wait === undefined) return elapsedMs;
  const answeredAt = performance.now();
  await wait();
  return elapsedMs + performance.now() - answeredAt;
}

export function roundOf(
  results: ReadonlyMap<string, readonly LapResult[]>,
  valueOf: (results: readonly LapResult[]) => number,
): Round {
  return new Map([...results].map(([name, blocks]) => [name, valueOf(blocks)]));
}
