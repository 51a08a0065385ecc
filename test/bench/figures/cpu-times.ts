// Reads the CPU time of each process from the kernel. It hardly depends on other load of the
// machine, so it explains a ratio when elapsed times cannot. It works on Linux only; elsewhere it
// returns no times.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The CPU cost of one request of one side. */
export interface CpuCost {
  readonly name: string;
  readonly side: string;
  /** Milliseconds a request, by process. Processes that took hardly any are left out. */
  readonly ms: Readonly<Record<string, number>>;
}

/** Milliseconds of CPU since the start of the process, by process. */
export type CpuTimes = ReadonlyMap<string, number>;

interface Process {
  readonly name: string;
  readonly pid: number;
}

/** The unit of these files, the same on every Linux that Node runs on. */
const TICK_MS = 10;
const HARDLY_ANY_MS = 0.001;
/** Fields of /proc/PID/stat, counted from the one behind the name in parentheses. */
const [PARENT, GROUP, USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM] = [1, 2, 11, 12, 13, 14];

/**
 * Adds up processes by part. Each part leads a process group. Postgres backends lead their own
 * groups, but have the part as parent. Ended children are included.
 */
export function readCpuTimes(parts: readonly Process[]): CpuTimes {
  const names = new Map(parts.map(({ name, pid }) => [pid, name]));
  const times = new Map<string, number>();
  for (const { pid, fields } of allProcesses()) {
    const name = [pid, fields[GROUP], fields[PARENT]]
      .map((whose) => names.get(whose ?? 0))
      .find((one) => one !== undefined);
    if (name === undefined) continue;
    const ticks = [USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM].map((field) => fields[field] ?? 0);
    const ms = ticks.reduce((sum, some) => sum + some, 0) * TICK_MS;
    times.set(name, (times.get(name) ?? 0) + ms);
  }
  return times;
}

interface Stat {
  readonly pid: number;
  readonly fields: readonly number[];
}

function allProcesses(): readonly Stat[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap(statOf);
}

/** @returns an empty list when the process has just ended */
function statOf(pid: string): readonly Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(pid), fields: fields.map(Number) }];
  } catch {
    return [];
  }
}

/** The CPU time between two readings. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return new Map([...after].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));
}

export type CpuTotals = ReturnType<typeof createCpuTotals>;

/** Adds up the CPU time of each side. @param name of the comparison */
export function createCpuTotals(name: string) {
  const sums = new Map<string, { requests: number; readonly ms: Map<string, number> }>();
  return {
    add(side: string, requests: number, times: CpuTimes) {
      const sum = sums.get(side) ?? { requests: 0, ms: new Map<string, number>() };
      sum.requests += requests;
      for (const [process, ms] of times) sum.ms.set(process, (sum.ms.get(process) ?? 0) + ms);
      sums.set(side, sum);
    },
    costs: (): readonly CpuCost[] =>
      [...sums].map(([side, { requests, ms }]) => ({ name, side, ms: eachOf(ms, requests) })),
  };
}

function eachOf(times: CpuTimes, requests: number): Readonly<Record<string, number>> {
  const each = [...times].map(([name, ms]) => [name, Number((ms / requests).toFixed(3))] as const);
  return Object.fromEntries(each.filter(([, ms]) => ms > HARDLY_ANY_MS));
}
