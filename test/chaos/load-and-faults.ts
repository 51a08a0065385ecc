// Load, faults and operations, all at once.
import { setTimeout as pause } from 'node:timers/promises';
import type { Cast } from './actors/actors';
import type { ChaosWishes } from './command-line';
import { strikeOf } from './faults/faults';
import { makeRounds } from './actors/operator-rounds';
import { drawSchedule, type ScheduledFault } from './faults/schedule';
import type { System } from './system';

export interface Progress {
  readonly line: (text: string) => void;
  /** The latest of its kind; told now and then. */
  readonly status: (text: string) => void;
}

export type StruckFault = Pick<ScheduledFault, 'kind' | 'detail'>;

const TOLD_EVERY_MS = 5_000;

/** For as long as it was asked for. Answers every fault that struck, as often as it did. */
export async function strain(
  system: System,
  cast: Cast,
  { seconds, seed, only }: ChaosWishes,
  { line, status }: Progress,
): Promise<readonly StruckFault[]> {
  const over = AbortSignal.timeout(seconds * 1_000);
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const struck: StruckFault[] = [];
  const strike = async (fault: ScheduledFault) => {
    const act = strikeOf(fault.kind);
    await pause(Math.max(0, fault.atMs - elapsed()));
    line(`  ${(elapsed() / 1_000).toFixed(1).padStart(6)} s  ${describe(fault)}`);
    const times = Number(await act(fault, { ...cast, system }));
    for (let time = 0; time < times; time += 1) struck.push(fault);
  };
  const telling = setInterval(() => {
    const { begun, underWay } = cast.load;
    status(
      `${(elapsed() / 1_000).toFixed(0)} s: ${begun()} payments begun, ${underWay()} under way`,
    );
  }, TOLD_EVERY_MS);
  await Promise.all([
    cast.load.run(over),
    makeRounds({ ...cast, providerUrl: system.servers.provider }, over),
    ...drawSchedule({ seed, seconds, only }).map(strike),
  ]).finally(() => clearInterval(telling));
  return struck;
}

function describe({ kind, targets, detail, lastsMs }: ScheduledFault): string {
  const lasts = lastsMs > 1 ? ` for ${(lastsMs / 1_000).toFixed(1)} s` : '';
  return [kind, targets.join(' and '), detail].filter((part) => part !== '').join(', ') + lasts;
}
