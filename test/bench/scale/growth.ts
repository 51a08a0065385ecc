// Measures throughput with one and with two processes of each kind, and of the reference. Blocks of
// creates and of confirms take turns; the figure is the median.
import { median } from '../figures/statistics';
import type { BlockFigures, BlockKind, Measurable, ScaledSystem } from './scaled-system';

export interface Growth {
  /** The processes that ran, such as `2 API, 1 worker`. */
  readonly processes: string;
  /** Creates a second. */
  readonly creates: number;
  /** Payments a second, from the confirm to the delivered webhook. */
  readonly captured: number;
  /** Milliseconds of CPU for one create and its confirm, by part. */
  readonly cpu: Readonly<Record<string, number>>;
}

export interface Pace {
  readonly isQuick: boolean;
  readonly printProgress: (text: string) => void;
}

const BLOCKS = 4;
const BLOCK = 200;
const WARM_UP_BLOCKS = 1;
const QUICK_BLOCK = 20;

/**
 * @param system has one API and one worker, and gets one more of each. The connection limit of
 * Postgres allows no third one.
 */
export async function measureGrowth(system: ScaledSystem, pace: Pace): Promise<readonly Growth[]> {
  const found = [await measure(system, '1 API, 1 worker', pace)];
  await system.addApi();
  found.push(await measure(system, '2 API, 1 worker', pace));
  await system.addWorker();
  found.push(await measure(system, '2 API, 2 worker', pace));
  return found;
}

export async function measure(
  system: Measurable,
  processes: string,
  { isQuick, printProgress }: Pace,
): Promise<Growth> {
  const count = isQuick ? QUICK_BLOCK : BLOCK;
  const blocks: Record<BlockKind, BlockFigures[]> = { create: [], confirm: [] };
  const rounds = isQuick ? 1 : WARM_UP_BLOCKS + BLOCKS;
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of ['create', 'confirm'] as const) {
      const figures = await system.runBlock(kind, count);
      printProgress(
        `${processes}: ${kind} ${figures.perSecond.toFixed(0)}/s (${round} of ${rounds})`,
      );
      if (isQuick || round > WARM_UP_BLOCKS) blocks[kind].push(figures);
    }
  }
  const perSecond = (kind: BlockKind) => median(blocks[kind].map((block) => block.perSecond));
  const [creates, captured] = [perSecond('create'), perSecond('confirm')];
  return { processes, creates, captured, cpu: cpuOf(blocks) };
}

function cpuOf({ create, confirm }: Readonly<Record<BlockKind, readonly BlockFigures[]>>) {
  const sums: Record<string, number> = {};
  for (const { cpuMs } of [...create, ...confirm]) {
    for (const [name, ms] of cpuMs) sums[name] = (sums[name] ?? 0) + ms / create.length;
  }
  return sums;
}
