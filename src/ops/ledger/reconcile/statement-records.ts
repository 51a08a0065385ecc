// Reads the records of a statement: CSV (RFC 4180, with a header) or JSON lines. The first
// character decides which.
import { Readable, pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { STATEMENT_LINE_MAX_BYTES } from '../../../domain/limits';
import { parseStrictJson } from '../../../signing/strict-json';
import { UnreadableStatement } from '../../rejection';
import { readLines } from '../../lines-of-stream';
import type { StatementText } from './statement-text';

export interface StatementRecord {
  readonly line: number;
  readonly members: Readonly<Record<string, unknown>>;
}

const COLUMNS = ['key', 'amount_usd_cents', 'corridor', 'executed_at'];
/** A cut in one of these columns can go unnoticed, because the rest is still a valid value. */
const CUT_UNNOTICED = ['key', 'amount_usd_cents', 'corridor'];

export async function* readRecords(text: StatementText): AsyncGenerator<StatementRecord> {
  let head = '';
  while (head.trim() === '') {
    const next = await text.chunks.next();
    if (next.done === true) return;
    head += next.value;
  }
  const first = head.trimStart().charAt(0);
  if (first === '[')
    throw new UnreadableStatement(1, 'it is a list. Expected one object per line.');
  const all = prefixed(head, text.chunks);
  yield* first === '{' ? readJsonLines(all) : readCsv(all, text);
}

async function* prefixed(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

async function* readJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<StatementRecord> {
  let line = 0;
  for await (const text of readLines(chunks, STATEMENT_LINE_MAX_BYTES)) {
    line += 1;
    if (text === undefined) throw new UnreadableStatement(line, TOO_LONG);
    if (text.trim() !== '') yield { line, members: parseObject(text, line) };
  }
}

const TOO_LONG = `it is longer than ${String(STATEMENT_LINE_MAX_BYTES)} bytes.`;

function parseObject(text: string, line: number): StatementRecord['members'] {
  let value: unknown;
  try {
    value = parseStrictJson(Buffer.from(text.replace(/\r$/, '')));
  } catch (cause) {
    const why =
      'it is not one JSON object with one reading: is the statement cut off, an object on more than one line, or a member there twice?';
    throw new UnreadableStatement(line, why, { cause });
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw new UnreadableStatement(line, 'it is not a JSON object.');
  const named = Object.entries(value as object).map(([name, its]) => [nameOf(name), its] as const);
  const members = Object.fromEntries(named);
  if (Object.keys(members).length === named.length) return members;
  throw new UnreadableStatement(line, 'two members have the same name but for case.');
}

/** `Status` is read as `status`: ignored, it would leave a declined payout paid. */
function nameOf(given: string): string {
  return given.trim().toLowerCase();
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* readCsv(
  chunks: AsyncIterable<string>,
  text: StatementText,
): AsyncGenerator<StatementRecord> {
  let columns: readonly string[] | undefined;
  let line = 0;
  for await (const { record, info } of parsedCsv(chunks)) {
    line = info.lines;
    if (columns === undefined) columns = header(record, line);
    else yield { line, members: membersOf(columns, record) };
  }
  if (text.endsLine() || !CUT_UNNOTICED.includes(columns?.at(-1) ?? '')) return;
  throw new UnreadableStatement(line, 'its line break is missing: the statement may be cut off.');
}

async function* parsedCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    max_record_size: STATEMENT_LINE_MAX_BYTES,
  });
  // A failure before the parser destroys the parser, which passes the error on to its reader.
  const records = pipeline(Readable.from(chunks), parser, () => undefined);
  try {
    for await (const record of records as AsyncIterable<CsvRecord>) yield record;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as CsvError & { readonly lines?: number };
    throw new UnreadableStatement(lines ?? 1, CSV_FAULTS[error.code] ?? `${error.message}.`, {
      cause: error,
    });
  }
}

const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed: is the statement cut off?',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH:
    'it does not have as many columns as the header: is the statement cut off?',
  CSV_MAX_RECORD_SIZE: `${TOO_LONG.slice(0, -1)}, or a quote is not closed.`,
};

function header(record: readonly string[], line: number): readonly string[] {
  const columns = record.map(nameOf);
  const missing = COLUMNS.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    const why = `the header has no ${missing.join(', ')}. Expected columns, with commas between them: ${COLUMNS.join(', ')}, and optionally status and environment; or JSON objects, one per line.`;
    throw new UnreadableStatement(line, why);
  }
  if (new Set(columns).size === columns.length) return columns;
  throw new UnreadableStatement(line, 'the header names a column twice.');
}

function membersOf(
  columns: readonly string[],
  record: readonly string[],
): StatementRecord['members'] {
  const given = columns.map((name, column) => [name, record[column] ?? ''] as const);
  // A status that is empty, or cut off, is not one that was left out: the payout may have failed.
  const members = Object.fromEntries(
    given.filter(([name, text]) => text !== '' || name === 'status'),
  );
  const { amount_usd_cents: cents } = members;
  return /^\d{1,15}$/.test(cents ?? '') ? { ...members, amount_usd_cents: Number(cents) } : members;
}
