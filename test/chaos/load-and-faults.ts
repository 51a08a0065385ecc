// Runs load, faults and operators at the same time.
import { setTimeout as pause } from 'node:timers/promises';
import type { Actors } from './actors/actors';
import type { ChaosOptions } from './command-line';
import { injectorOf } from './faults/faults';
import { makeRounds } from './actors/operator-rounds';
import { drawSchedule, type ScheduledFault } from './faults/schedule';
import type { System } from './system';

export interface Progress {
  readonly line: (text: string) => void;
  /** Prints the latest progress, every few seconds. */
  readonly status: (text: string) => void;
}

export type InjectedFault = Pick<ScheduledFault, 'kind' | 'detail'>;

const PROGRESS_EVERY_MS = 5_000;

/** Runs for `seconds`. Returns each fault as often as it took effect. */
export async function runLoadAndFaults(
  system: System,
  actors: Actors,
  { seconds, seed, only }: ChaosOptions,
  { line, status }: Progress,
): Promise<readonly InjectedFault[]> {
  const over = AbortSignal.timeout(seconds * 1_000);
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const injected: InjectedFault[] = [];
  const inject = async (fault: ScheduledFault) => {
    const act = injectorOf(fault.kind);
    await pause(Math.max(0, fault.atMs - elapsed()));
    line(`  ${(elapsed() / 1_000).toFixed(1).padStart(6)} s  ${describe(fault)}`);
    const times = Number(await act(fault, { ...actors, system }));
    for (let time = 0; time < times; time += 1) injected.push(fault);
  };
  const progressTimer = setInterval(() => {
    const { begun, underWay } = actors.load;
    status(
      `${(elapsed() / 1_000).toFixed(0)} s: ${begun()} payments begun, ${underWay()} under way`,
    );
  }, PROGRESS_EVERY_MS);
  await Promise.all([
    actors.load.run(over),
    makeRounds({ ...actors, providerUrl: system.servers.provider }, over),
    ...drawSchedule({ seed, seconds, only }).map(inject),
  ]).finally(() => clearInterval(progressTimer));
  return injected;
}

function describe({ kind, targets, detail, lastsMs }: ScheduledFault): string {
  const lasts = lastsMs > 1 ? ` for ${(lastsMs / 1_000).toFixed(1)} s` : '';
  return [kind, targets.join(' and '), detail].filter((part) => part !== '').join(', ') + lasts;
}
