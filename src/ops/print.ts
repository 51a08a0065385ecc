// A table for people, JSON for programs; sentences on standard error for whoever watches.

/** @param sentences what people should know about it; programs are not told */
export function printRecord(
  record: object,
  asJson: boolean,
  sentences: readonly string[] = [],
): void {
  if (asJson) printJson(record);
  else printLines([...recordLines(record), ...(sentences.length > 0 ? ['', ...sentences] : [])]);
}

/** @param whenEmpty the sentence in place of a table without rows */
export function printRows(rows: readonly object[], asJson: boolean, whenEmpty: string): void {
  if (asJson) printJson(rows);
  else printLines(rows.length === 0 ? [whenEmpty] : tableLines(rows));
}

/** JSON for programs, and for people the lines that are made of it. */
export function printStory(story: object, asJson: boolean, lines: () => readonly string[]): void {
  if (asJson) printJson(story);
  else printLines(lines());
}

/** An amount for people, `12.50 USD`; negative where money leaves an account. */
export function dollars(usdCents: number): string {
  const cents = Math.abs(usdCents);
  const fraction = String(cents % 100).padStart(2, '0');
  return `${usdCents < 0 ? '-' : ''}${Math.trunc(cents / 100)}.${fraction} USD`;
}

/** One sentence on standard error, which does not disturb what standard output is read for. */
export function tell(sentence: string): void {
  process.stderr.write(`payctl: ${sentence}\n`);
}

function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

export function recordLines(record: object): readonly string[] {
  return inColumns(Object.entries(record).map(([name, value]) => [name, cell(value)]));
}

export function tableLines(rows: readonly object[]): readonly string[] {
  const names = Object.keys(rows[0] ?? {});
  return inColumns([names, ...rows.map((row) => Object.values(row).map(cell))]);
}

function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** What others wrote, such as a reason or an error, must not write anything else to the terminal. */
const UNPRINTABLE = /\p{C}+/gu;

function cell(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(UNPRINTABLE, ' ');
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(cell).join(', ') || '-';
  return value === null ? '-' : JSON.stringify(value);
}
