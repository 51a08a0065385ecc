// Lines for people: tables, records and sentences within 100 columns. Only a single long word that
// an operator may have to copy is wider.

export const WIDTH = 100;
const INDENT = 2;
/** Minimum width of the last column, however wide the other columns are. */
const LAST_COLUMN_MIN = 9;

/** `2026-03-02T12:00:00Z`: without milliseconds, to keep lists narrow. */
export function toTheSecond(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** `3 h`: in the largest unit of which there are at least two. */
export function roughly(seconds: number): string {
  const unit = UNITS.find(([, length]) => seconds >= 2 * length);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`;
}

/** An empty line, then each sentence on a new line; nothing if there are no sentences. */
export function sentenceLines(sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return [];
  return ['', ...sentences.flatMap((line) => (isCommand(line) ? [line] : wrapped(line, WIDTH)))];
}

/** A command among sentences: on its own line and never wrapped, so that it can be copied. */
export function command(text: string): string {
  return indented(text);
}

function isCommand(line: string): boolean {
  return line.startsWith(' ');
}

export function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', title, ...lines.map(indented)];
}

export function indented(line: string): string {
  return ' '.repeat(INDENT) + line;
}

export function recordLines(record: object, width = WIDTH): readonly string[] {
  const rows = Object.entries(record).map(([name, value]) => [name, cell(value)]);
  return rowBlocks(rows, (text, room) => wrapped(text, Math.max(room, 0)), width).flat();
}

/** A record, with sentences about it below. */
export function recordAndSentences(
  record: object,
  sentences: readonly string[],
): readonly string[] {
  return [...recordLines(record), ...sentenceLines(sentences)];
}

/** A table, or a sentence if there are no rows. */
export function tableOr(rows: readonly object[], whenEmpty: string, width = WIDTH) {
  return rows.length === 0 ? [whenEmpty] : tableLines(rows, width);
}

/** A table with a header line. A last cell that is too long continues on the lines below. */
export function tableLines(rows: readonly object[], width = WIDTH): readonly string[] {
  return notedTableLines(
    rows.map((row) => ({ row, notes: [] })),
    width,
  );
}

export interface NotedRow {
  readonly row: object;
  /** Sentences about the row, printed below it. */
  readonly notes: readonly string[];
}

export function notedTableLines(rows: readonly NotedRow[], width = WIDTH): readonly string[] {
  const names = Object.keys(rows[0]?.row ?? {});
  const cells = [names, ...rows.map(({ row }) => Object.values(row).map(cell))];
  const blocks = rowBlocks(cells, cutAndWrapped, width);
  const notes = [[], ...rows.map((noted) => noted.notes)];
  return blocks.flatMap((lines, index) => [
    ...lines,
    ...(notes[index] ?? []).flatMap((note) => wrapped(cell(note), width - INDENT).map(indented)),
  ]);
}

type Cells = readonly string[];

/** The lines of each row: one, or more if its last cell is wrapped. */
function rowBlocks(
  rows: readonly Cells[],
  fit: (text: string, room: number) => readonly string[],
  width: number,
): readonly (readonly string[])[] {
  const widths = (rows[0] ?? [])
    .slice(0, -1)
    .map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)) + INDENT);
  const room = width - widths.reduce((sum, one) => sum + one, 0);
  return rows.map((row) =>
    fit(row.at(-1) ?? '', room).map((part, line) => {
      const before = widths.map((size, column) =>
        (line > 0 ? '' : (row[column] ?? '')).padEnd(size),
      );
      return (before.join('') + part).trimEnd();
    }),
  );
}

/** Breaks between words only: a word that is too long gets a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function cutAndWrapped(text: string, room: number): readonly string[] {
  const width = Math.max(room, LAST_COLUMN_MIN);
  return wrapped(text, width).flatMap((line) => cut(line, width));
}

function cut(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  return [line.slice(0, width), ...cut(line.slice(width), width)];
}

/** Control characters in a stored text, such as an error, must not reach the terminal. */
const UNPRINTABLE = /\p{C}+/gu;

function cell(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(UNPRINTABLE, ' ');
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(cell).join(', ') || '-';
  return value === null ? '-' : JSON.stringify(value);
}
