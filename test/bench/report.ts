// What a run found: the JSON that other programs read, and the table for people (architecture, section 7).
import type { CpuCost } from './cpu-times';
import {
  CONTROL,
  CONTROL_HALF_WIDTH_MAX,
  isControlled,
  isNarrow,
  type Reading,
  type Readings,
} from './rounds';
import { distanceFromOne } from './statistics';

/** One figure. `ours` and `reference` are in the unit that the name ends with. */
export interface Result {
  readonly name: string;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly target: number;
  readonly pass: boolean;
  readonly ours: number;
  readonly reference: number;
  readonly rounds: number;
}

/** One exact count. */
export interface Counter {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly pass: boolean;
}

/** How the times of one side were spread, over all rounds. */
export interface Percentiles {
  readonly name: string;
  readonly side: string;
  readonly requests: number;
  readonly p50_us: number;
  readonly p90_us: number;
  readonly p99_us: number;
  readonly max_us: number;
}

export interface Findings {
  readonly results: readonly Result[];
  readonly counters: readonly Counter[];
  readonly percentiles?: readonly Percentiles[];
  readonly cpu?: readonly CpuCost[];
}

export interface Report extends Findings {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The reference against itself: no figure beside it counts unless this one passes. */
export function controlResult(name: string, reading: Reading, isControlled: boolean): Result {
  return { name, target: 1, pass: isControlled, ...shown(reading) };
}

interface Judged {
  readonly target: number;
  readonly isControlled: boolean;
}

/** A throughput that is to reach a share of the reference's, at the bad end of its interval. */
export function atLeast(name: string, reading: Reading, judged: Judged): Result {
  const pass = judged.isControlled && reading.low >= judged.target;
  return { name, target: judged.target, pass, ...shown(reading) };
}

/**
 * A time that is to be no longer than so many times the reference's. Told as a speed, reference by ours, so that more is better
 * and a target is a least one in every row; `ours` and `reference` stay times.
 */
export function noSlowerThan(
  name: string,
  reading: Reading,
  judged: { readonly factor: number; readonly isControlled: boolean },
): Result {
  const { ratio, low, high } = reading;
  const speed = { ...reading, ratio: 1 / ratio, low: 1 / high, high: 1 / low };
  return atLeast(name, speed, { ...judged, target: round(1 / judged.factor, 4) });
}

/** Every side of a comparison: the control as that, the others as they are to be judged. */
export function resultsOf(
  { bySide }: Readings,
  nameOf: (side: string) => string,
  judge: (name: string, reading: Reading, isControlled: boolean) => Result,
): readonly Result[] {
  const isSure = isControlled(bySide);
  return [...bySide].map(([side, reading]) =>
    side === CONTROL
      ? controlResult(nameOf(side), reading, isSure)
      : judge(nameOf(side), reading, isSure),
  );
}

/** A time that is to be the reference's: its interval is as narrow as a control's and contains 1, or it is within the margin. */
export function sameAs(
  name: string,
  reading: Reading,
  judged: { readonly margin: number; readonly isControlled: boolean },
): Result {
  const isSame = distanceFromOne(reading) === 0 || Math.abs(reading.ratio - 1) <= judged.margin;
  const pass = judged.isControlled && isNarrow(reading) && isSame;
  return { name, target: 1, pass, ...shown(reading) };
}

/** A count or a rate that is to be no less. */
export function noLessThan(name: string, value: number, limit: number): Counter {
  return { name, value, limit, pass: value >= limit };
}

export function atMost(name: string, value: number, limit: number): Counter {
  return { name, value, limit, pass: value <= limit };
}

function shown({ ratio, low, high, ours, reference, rounds }: Reading) {
  return {
    ratio: round(ratio, 4),
    low: round(low, 4),
    high: round(high, 4),
    ours: round(ours, 1),
    reference: round(reference, 1),
    rounds,
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

const CPU_HEAD = ['CPU, ms a request', 'all', 'by process'];

function cpuRow({ name, side, ms }: CpuCost): readonly string[] {
  const all = Object.values(ms).reduce((sum, one) => sum + one, 0);
  const each = Object.entries(ms).map(([process, one]) => `${process} ${one}`);
  return [`${name}, ${side}`, all.toFixed(3), each.join(', ')];
}

const SPREAD_HEAD = ['times in µs', 'requests', 'p50', 'p90', 'p99', 'longest'];

/** Lines of a table; a missed target is marked by its last word. */
export function tableOf({
  results,
  counters,
  percentiles = [],
  cpu = [],
}: Findings): readonly string[] {
  const figures = results.map((result) => [
    result.name,
    String(Math.round(result.ours)),
    String(Math.round(result.reference)),
    result.ratio.toFixed(3),
    `${result.low.toFixed(3)} to ${result.high.toFixed(3)}`,
    String(result.target),
    verdict(result),
  ]);
  const counts = counters.map((counter) => [
    counter.name,
    String(counter.value),
    String(counter.limit),
    verdict(counter),
  ]);
  const spreads = percentiles.map((one) => [
    `${one.name}, ${one.side}`,
    ...[one.requests, one.p50_us, one.p90_us, one.p99_us, one.max_us].map(String),
  ]);
  return [
    ...aligned([['figure', 'ours', 'reference', 'ratio', '95 %', 'target', ''], ...figures]),
    '',
    ...aligned([['counter', 'value', 'at most', ''], ...counts]),
    ...(cpu.length === 0 ? [] : ['', ...aligned([CPU_HEAD, ...cpu.map(cpuRow)])]),
    ...(spreads.length === 0 ? [] : ['', ...aligned([SPREAD_HEAD, ...spreads])]),
    '',
    `A control (A/A) contains 1 and is at most ${String(CONTROL_HALF_WIDTH_MAX)} wide on either side, or nothing beside it passes.`,
  ];
}

function verdict({ pass }: { readonly pass: boolean }): string {
  return pass ? 'pass' : 'MISSED';
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
}

/** Names to the left, figures to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
