// What is compared, and in which order: blocks of requests that go there and back over the sides, so that what rises or falls
// through a round weighs on all alike.
import { cpuBetween, type CpuTimes } from './cpu-times';
import type { Block, BlockResult } from '../load/load-client';
import { CONTROL, REFERENCE, thereAndBack, type Round } from './rounds';
import type { Stand } from '../stand';
import type { World } from '../world';

export interface Side {
  readonly port: number;
  /** That many more requests, as bytes, each to be sent once. */
  readonly prepare: (count: number) => Promise<readonly Uint8Array[]>;
  /** Waits for what an answer leaves to be done. A throughput counts it; its bound is the side's own. */
  readonly finish?: () => Promise<void>;
  /** What each of its requests leaves in the memory of the Temporal dev server: its run. Nothing unless told. */
  readonly leavesKb?: number;
  /** Waits, outside of any figure, until nothing of a block is left that could weigh on the next one. */
  readonly settle?: () => Promise<void>;
}

/** By the server's memory after many of them (Temporal CLI 1.9.1): a run that waits, and a payment or a bare flow that is over. */
export const WAITING_RUN_KB = 45;
export const ENDED_RUN_KB = 150;

export interface Comparison {
  /** For the lines of progress. */
  readonly title: string;
  /** Of a side's figure, with its unit at the end. */
  readonly nameOf: (side: string) => string;
  readonly reference: Side;
  readonly ours: Side;
  /** Connections, each with one request under way at most. */
  readonly inFlight: number;
  /** What every answer of every side is: another one's time would be another answer's. */
  readonly answer: Answer;
  /**
   * Ours is sent as much again, uncounted, since the reference is sent the control's requests too: where both are the same
   * program, the one that has answered more is the faster one.
   */
  readonly isEven?: boolean;
}

export interface Answer {
  readonly status: string;
  /** What its body holds. */
  readonly holding: string;
}

/** A side with the number of requests that make its block. */
export interface Lane extends Side {
  readonly name: string;
  readonly count: number;
  /** So many of these begin the block and are not counted. */
  readonly uncounted: number;
  /** Whether anything of it is. */
  readonly isCounted: boolean;
}

/** One request after another, each made by itself. */
export function eachMadeBy(make: () => Uint8Array): Side['prepare'] {
  return (count) => Promise.resolve(Array.from({ length: count }, make));
}

/** The part of a stand that sends. */
export type Sending = Pick<Stand, 'random'> & { readonly world: Pick<World, 'load' | 'cpuTimes'> };

/** @throws Error when any answer was another */
export async function sendBlock(
  { port, answer, ...block }: Omit<Block, 'holding'> & { readonly answer: Answer },
  { world }: { readonly world: Pick<World, 'load'> },
): Promise<BlockResult> {
  const result = await world.load.run({ ...block, port, holding: answer.holding });
  const { statuses, unlike } = result;
  if (statuses.join() === answer.status && unlike === undefined) return result;
  throw new Error(`not what is measured: ${statuses.join()} ${unlike ?? result.body}`);
}

/** Both sides by name, and the control, which is the reference under another name. */
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
  /** There and back this often. */
  readonly laps: number;
  /** Requests a second, evenly; without it each connection sends as soon as it may. */
  readonly perSecond?: number;
}

export interface LapResult extends BlockResult {
  /** With what the side's answers left to be done. */
  readonly wholeMs: number;
  /** With all that the block left behind, of all its requests. */
  readonly cpuMs: CpuTimes;
  readonly requests: number;
}

/** Every side twice a lap, there and back. */
export async function runLaps(
  { comparison, lanes, laps, ...pace }: Laps,
  stand: Sending,
): Promise<ReadonlyMap<string, readonly LapResult[]>> {
  const { inFlight, answer } = comparison;
  const { world } = stand;
  // All requests of the round are made before the first is sent.
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
