// What the command prints: a table for people, with what to do about each failure, and JSON for
// programs.
import type { CheckResult } from './check';

const WIDTH = 80;

export interface Report {
  readonly results: readonly CheckResult[];
  /** Sentences about what was not checked, or is left behind. */
  readonly notes: readonly string[];
}

export function countsOf({ results }: Report) {
  const count = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

export function jsonOf(report: Report): string {
  const { results, notes } = report;
  return JSON.stringify({ ...countsOf(report), checks: results, notes }, null, 2);
}

export function linesOf(report: Report): readonly string[] {
  const { results, notes } = report;
  const subjects = [...new Set(results.map(({ subject }) => subject))];
  const { passed, failed, skipped } = countsOf(report);
  return [
    ...subjects.flatMap((subject) => [
      subject,
      ...results.filter((result) => result.subject === subject).flatMap(resultLines),
      '',
    ]),
    ...notes.flatMap((note) => wrapped(note, '')),
    `${String(passed)} passed, ${String(failed)} failed, ${String(skipped)} skipped.`,
  ];
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

const MARKS = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const;

function resultLines({ check, outcome, found, advice }: CheckResult): readonly string[] {
  const line = `  ${MARKS[outcome].padEnd(9)}${check}`;
  if (outcome !== 'failed') return [line];
  return [line, ...wrapped([found, advice].filter(Boolean).join(' '), ' '.repeat(11))];
}

/** Breaks between words. Control characters of an answer must not reach the terminal. */
export function wrapped(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll(/\p{C}+/gu, ' ').split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
