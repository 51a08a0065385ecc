// What a run found: the JSON that other programs read (architecture, section 8), all of it for whoever looks into it, and the
// table for people.
import type { Finding } from './finding';

export interface Report {
  /** How long the load lasted. */
  readonly seconds: number;
  readonly seed: number;
  /** How often each kind struck. */
  readonly faults: Readonly<Record<string, number>>;
  /** Intents that were created. */
  readonly payments: number;
  readonly invariants: readonly Finding[];
  /** At which named points a process died, how often. */
  readonly points: Readonly<Record<string, number>>;
  readonly settled_after_seconds: number;
  readonly webhooks_sent_again: number;
  /** Faults that could not be made here, each with why. */
  readonly skipped: Readonly<Record<string, string>>;
  /** How often each way of asking was answered how; `none` where no answer came. */
  readonly answers: Readonly<Record<string, number>>;
  /** How many intents ended how. */
  readonly ends: Readonly<Record<string, number>>;
}

/** What other programs rely on (architecture, section 8): these members and no others. */
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
    ...aligned([['fault', 'struck'], ...rowsOf(faults)]),
    ...Object.entries(skipped).map(([kind, why]) => `${kind}: not done, since ${why}`),
    '',
    ...aligned([['died at', 'times'], ...rowsOf(points)]),
    '',
    ...aligned([['answer', 'times'], ...rowsOf(answers)]),
    '',
    ...aligned([['ended as', 'payments'], ...rowsOf(ends)]),
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

function rowsOf(counts: Readonly<Record<string, number>>): readonly (readonly string[])[] {
  return Object.entries(counts).map(([name, count]) => [name, String(count)]);
}

function marked(violations: number): string {
  return violations === 0 ? '0' : `${violations} !`;
}

/** Names to the left, figures to the right. */
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
