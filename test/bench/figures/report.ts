// The report of a bench run: JSON for programs, and tables for the terminal (architecture, section
// 7).
import { createHistogram } from 'node:perf_hooks';
import type { CpuCost } from './cpu-times';
import {
  CONTROL,
  CONTROL_HALF_WIDTH_MAX,
  isControlled,
  isNarrow,
  type Reading,
  type Readings,
} from './rounds';
import type { Stand } from '../stand';
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

/** The distribution of the times of one side, over all rounds. */
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
  readonly results?: readonly Result[];
  readonly counters?: readonly Counter[];
  readonly percentiles?: readonly Percentiles[];
  readonly cpu?: readonly CpuCost[];
}

export interface Bench {
  readonly name: string;
  /** The conditions that its figures depend on, for the report's settings. */
  readonly settings: Readonly<Record<string, unknown>>;
  run(stand: Stand): Promise<readonly Findings[]>;
}

/**
 * Turns a reading into a result that passes or misses its target. `isSure` says that the control
 * passed.
 */
export type Evaluator = (name: string, reading: Reading, isSure: boolean) => Result;

/**
 * Requires a throughput of at least this share of the reference, at the lower end of the interval.
 */
export function atLeast(target: number): Evaluator {
  return (name, reading, isSure) =>
    resultOf(name, reading, { target, pass: isSure && reading.low >= target });
}

/**
 * Requires a time of at most this factor of the reference. The ratio is reported as a speed,
 * reference divided by ours, so that a higher ratio is better in every row. `ours` and `reference`
 * stay times.
 */
export function noSlowerThan(factor: number): Evaluator {
  const evaluate = atLeast(round(1 / factor, 4));
  return (name, { ratio, low, high, ...rest }, isSure) =>
    evaluate(name, { ...rest, ratio: 1 / ratio, low: 1 / high, high: 1 / low }, isSure);
}

/**
 * Requires the time of the reference: the interval is as narrow as that of a control, and contains
 * 1 or the ratio is within the margin.
 */
export function sameAs(margin: number): Evaluator {
  return (name, reading, isSure) => {
    const isSame = distanceFromOne(reading) === 0 || Math.abs(reading.ratio - 1) <= margin;
    return resultOf(name, reading, { target: 1, pass: isSure && isNarrow(reading) && isSame });
  };
}

/**
 * Evaluates every side. The control has its own rule, and no other side passes unless the control
 * does.
 */
export function resultsOf(
  readings: Readings,
  nameOf: (side: string) => string,
  evaluate: Evaluator,
): readonly Result[] {
  const isSure = isControlled(readings);
  return [...readings].map(([side, reading]) =>
    side === CONTROL
      ? resultOf(nameOf(side), reading, { target: 1, pass: isSure })
      : evaluate(nameOf(side), reading, isSure),
  );
}

function resultOf(
  name: string,
  { ratio, low, high, ours, reference, rounds }: Reading,
  { target, pass }: Pick<Result, 'target' | 'pass'>,
): Result {
  return {
    ...{ name, target, pass },
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

/** Requires a count or a rate of at least `limit`. */
export function noLessThan(name: string, value: number, limit: number): Counter {
  return { name, value, limit, pass: value >= limit };
}

export function atMost(name: string, value: number, limit: number): Counter {
  return { name, value, limit, pass: value <= limit };
}

/** By HDR histogram: three significant digits, up to a minute. */
export function percentilesOf(name: string, side: string, timesUs: Iterable<number>): Percentiles {
  const histogram = createHistogram({ figures: 3, lowest: 1, highest: 60_000_000 });
  for (const us of timesUs) histogram.record(Math.max(1, Math.round(us)));
  return {
    ...{ name, side, requests: histogram.count },
    p50_us: histogram.percentile(50),
    p90_us: histogram.percentile(90),
    p99_us: histogram.percentile(99),
    max_us: histogram.max,
  };
}

type Table = readonly (readonly string[])[];

/** Lines of tables; a missed target is marked by its last word. */
export function tablesOf({
  results,
  counters,
  percentiles,
  cpu,
}: Required<Findings>): readonly string[] {
  const tables: readonly Table[] = [
    [
      ['figure', 'ours', 'reference', 'ratio', '95 %', 'target', ''],
      ...results.map(({ name, ours, reference, ratio, low, high, target, pass }) => [
        name,
        ...[ours, reference].map((value) => String(Math.round(value))),
        ratio.toFixed(3),
        `${low.toFixed(3)} to ${high.toFixed(3)}`,
        String(target),
        verdict(pass),
      ]),
    ],
    [
      ['counter', 'value', 'at most', ''],
      ...counters.map(({ name, value, limit, pass }) => [
        name,
        ...[value, limit].map(String),
        verdict(pass),
      ]),
    ],
    [['CPU, ms a request', 'all', 'by process'], ...cpu.map(cpuRow)],
    [
      ['times in µs', 'requests', 'p50', 'p90', 'p99', 'longest'],
      ...percentiles.map(({ name, side, ...figures }) => [
        `${name}, ${side}`,
        ...Object.values(figures).map(String),
      ]),
    ],
  ];
  const [control, width] = ['A control (A/A)', String(CONTROL_HALF_WIDTH_MAX)];
  return [
    ...tables.filter(({ length }) => length > 1).flatMap((table) => [...aligned(table), '']),
    `${control} must contain 1 and reach at most ${width} to either side, or no other figure passes.`,
  ];
}

function cpuRow({ name, side, ms }: CpuCost): readonly string[] {
  const all = Object.values(ms).reduce((sum, one) => sum + one, 0);
  const each = Object.entries(ms).map(([process, one]) => `${process} ${one}`);
  return [`${name}, ${side}`, all.toFixed(3), each.join(', ')];
}

function verdict(pass: boolean): string {
  return pass ? 'pass' : 'MISSED';
}

/** Aligns names to the left and figures to the right. */
function aligned(table: Table): readonly string[] {
  const widthOf = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  return table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column)),
      )
      .join('  ')
      .trimEnd(),
  );
}
