// Lines for people: tables, records and sentences within 80 columns. Only a single long word that
// an operator may have to copy is wider.

export const WIDTH = 80;
const INDENT = 2;
/** The last column of a table is wrapped if it has this many columns of room. */
const WRAPPED_MIN = 24;

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

/** A section of wrapped sentences; nothing if there are none. */
export function sentenceSection(title: string, sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return [];
  return section(
    title,
    sentences.flatMap((sentence) => wrapped(sentence, WIDTH - INDENT)),
  );
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

/**
 * A table with a header line. A last cell that is too long continues on the lines below. Columns
 * that do not fit are written below their row, each with its name.
 */
export function tableLines(rows: readonly object[], width = WIDTH): readonly string[] {
  return notedTableLines(
    rows.map((row) => ({ row })),
    width,
  );
}

export interface NotedRow {
  readonly row: object;
  /** Sentences about the row, printed below it. */
  readonly notes?: readonly string[];
}

export function notedTableLines(rows: readonly NotedRow[], width = WIDTH): readonly string[] {
  const names = Object.keys(rows[0]?.row ?? {});
  const cells = rows.map(({ row }) => Object.values(row).map(cell));
  const fitting = columnsThatFit([names, ...cells], width);
  const lines = [names, ...cells].map((row) => row.slice(0, fitting));
  const [head = [], ...blocks] = rowBlocks(lines, cutAndWrapped, width);
  const notesOf = (index: number) => [
    ...remainder(names, cells[index] ?? [], fitting),
    ...(rows[index]?.notes ?? []).map(cell),
  ];
  return [
    ...head,
    ...blocks.flatMap((block, index) => [
      ...block,
      ...notesOf(index).flatMap((note) => wrapped(note, width - INDENT).map(indented)),
    ]),
  ];
}

type Cells = readonly string[];

/** The columns of a row that did not fit, as one note. */
function remainder(names: Cells, row: Cells, fitting: number): Cells {
  const named = row.map((value, column) => `${names[column] ?? ''}: ${value}`).slice(fitting);
  return named.length === 0 ? [] : [named.join(', ')];
}

function columnsThatFit(rows: readonly Cells[], width: number): number {
  const widths = columnWidths(rows);
  let used = 0;
  for (const [column, size] of widths.entries()) {
    const needed = column === widths.length - 1 ? Math.min(size, WRAPPED_MIN) : size;
    if (used + needed > width) return Math.max(column, 1);
    used += size + INDENT;
  }
  return widths.length;
}

function columnWidths(rows: readonly Cells[]): readonly number[] {
  return (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
}

/** The lines of each row: one, or more if its last cell is wrapped. */
function rowBlocks(
  rows: readonly Cells[],
  fit: (text: string, room: number) => readonly string[],
  width: number,
): readonly (readonly string[])[] {
  const widths = columnWidths(rows)
    .slice(0, -1)
    .map((size) => size + INDENT);
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
  const width = Math.max(room, 1);
  return wrapped(text, width).flatMap((line) => cut(line, width));
}

function cut(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  return [line.slice(0, width), ...cut(line.slice(width), width)];
}

/** Control characters in a stored text, such as an error, must not reach the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ');
}

function cell(value: unknown): string {
  if (typeof value === 'string') return printable(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(cell).join(', ') || '-';
  return value === null ? '-' : JSON.stringify(value);
}
