// What a run found: the JSON that other programs read, and the table for people (architecture, section 7).
import { CONTROL_HALF_WIDTH_MAX, isNarrow, type Reading } from './rounds';
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
}

/** One exact count. */
export interface Counter {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly pass: boolean;
}

export interface Findings {
  readonly results: readonly Result[];
  readonly counters: readonly Counter[];
}

export interface Report extends Findings {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The reference against itself: no figure beside it counts unless this one passes. */
export function controlResult(name: string, reading: Reading, isControlled: boolean): Result {
  return { name, target: 1, pass: isControlled, ...shown(reading) };
}

/** A throughput that is to reach a share of the reference's. */
export function atLeast(
  name: string,
  reading: Reading,
  judged: { readonly target: number; readonly isControlled: boolean },
): Result {
  const pass = judged.isControlled && reading.ratio >= judged.target;
  return { name, target: judged.target, pass, ...shown(reading) };
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

export function atMost(name: string, value: number, limit: number): Counter {
  return { name, value, limit, pass: value <= limit };
}

function shown({ ratio, low, high, ours, reference }: Reading) {
  return {
    ratio: round(ratio, 4),
    low: round(low, 4),
    high: round(high, 4),
    ours: round(ours, 1),
    reference: round(reference, 1),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Lines of a table; a missed target is marked by its last word. */
export function tableOf({ results, counters }: Findings): readonly string[] {
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
  return [
    ...aligned([['figure', 'ours', 'reference', 'ratio', '95 %', 'target', ''], ...figures]),
    '',
    ...aligned([['counter', 'value', 'at most', ''], ...counts]),
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
