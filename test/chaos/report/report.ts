// The report of a run: JSON for other programs (architecture, section 8), and a table for people.
import type { Finding } from './finding';

export interface Report {
  /** Duration of the load. */
  readonly seconds: number;
  readonly seed: number;
  /** How often each kind of fault took effect. */
  readonly faults: Readonly<Record<string, number>>;
  /** Number of created intents. */
  readonly payments: number;
  readonly invariants: readonly Finding[];
  /** How often a process died at each failpoint. */
  readonly points: Readonly<Record<string, number>>;
  /** Faults that this machine cannot inject, each with the reason. */
  readonly skipped: Readonly<Record<string, string>>;
  /** How often each operation had each answer; `none` without an answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** Number of intents by their last status, those apart that wait for people. */
  readonly ends: Readonly<Record<string, number>>;
}

export const FOR_PEOPLE = ', for people';

/** Other programs rely on exactly these members (architecture, section 8). */
export function publicReport({ seconds, seed, faults, payments, invariants }: Report) {
  return {
    ...{ seconds, seed, faults, payments },
    invariants: invariants.map(({ name, checked, violations }) => ({ name, checked, violations })),
  };
}

export function isClean({ invariants }: Report): boolean {
  return invariants.every(({ violations }) => violations === 0);
}

export function tableOf(report: Report): readonly string[] {
  const { faults, points, invariants, answers, ends, skipped } = report;
  return [
    ...aligned([['fault', 'times'], ...rowsOf(faults)]),
    ...Object.entries(skipped).map(([kind, why]) => `${kind}: skipped, because ${why}`),
    '',
    ...aligned([['died at', 'times'], ...rowsOf(points)]),
    '',
    ...aligned([['answer', 'times'], ...rowsOf(answers)]),
    '',
    ...aligned([['ended as', 'payments'], ...rowsOf(ends)]),
    shareForPeople(report),
    '',
    ...aligned([
      ['invariant', 'checked', 'violations'],
      ...invariants.map((one) => [one.name, String(one.checked), marked(one.violations)]),
    ]),
    ...invariants.flatMap(({ name, examples }) =>
      examples.length === 0 ? [] : ['', `${name}:`, ...examples.map((example) => `  ${example}`)],
    ),
  ];
}

function shareForPeople({ ends, payments }: Report): string {
  const waiting = Object.entries(ends).filter(([name]) => name.endsWith(FOR_PEOPLE));
  const count = waiting.reduce((sum, [, times]) => sum + times, 0);
  return `${count} of ${payments} payments wait for people: ${((100 * count) / payments).toFixed(1)} %`;
}

function rowsOf(counts: Readonly<Record<string, number>>): readonly (readonly string[])[] {
  return Object.entries(counts).map(([name, count]) => [name, String(count)]);
}

function marked(violations: number): string {
  return violations === 0 ? '0' : `${violations} !`;
}

/** Aligns names to the left and numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  '),
  );
}

export function countsOf(names: Iterable<string>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([one], [other]) => one.localeCompare(other)));
}
