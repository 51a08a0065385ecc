// A table for people, JSON for programs; sentences on standard error for whoever watches.
import { recordLines, sentenceLines, tableLines } from './layout';

/** @param sentences what people should know about it; programs are not told */
export function printRecord(
  record: object,
  asJson: boolean,
  sentences: readonly string[] = [],
): void {
  printStory(record, asJson, () => [...recordLines(record), ...sentenceLines(sentences)]);
}

/** @param whenEmpty the sentence in place of a table without rows */
export function printRows(rows: readonly object[], asJson: boolean, whenEmpty: string): void {
  printStory(rows, asJson, () => (rows.length === 0 ? [whenEmpty] : tableLines(rows)));
}

/** JSON for programs, and for people the lines that are made of it. */
export function printStory(story: object, asJson: boolean, lines: () => readonly string[]): void {
  const text = asJson ? JSON.stringify(story, null, 2) : lines().join('\n');
  process.stdout.write(`${text}\n`);
}

/** One sentence on standard error, which does not disturb what standard output is read for. */
export function tell(sentence: string): void {
  process.stderr.write(`payctl: ${sentence}\n`);
}
