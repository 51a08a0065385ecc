// Searches the API's log, one JSON line per entry, for the lines of one request. A rejected request
// is stored nowhere else, so that a flood of them writes nothing to Postgres (decision 12).
import { createReadStream } from 'node:fs';
import { Rejection } from '../rejection';
import { readLines } from '../lines-of-stream';

export interface FoundLines {
  readonly entries: readonly LogEntry[];
  readonly linesRead: number;
  /** The times of the first and the last line that has one. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

export type LogEntry = Readonly<Record<string, unknown>>;

const STANDARD_INPUT = '-';
/** Our lines have some hundred characters. A longer line is not ours, and is skipped. */
const LINE_MAX_CHARACTERS = 100_000;
/** A request has one line, or two if it failed. */
const ENTRIES_MAX = 20;

/** @throws Rejection if a file cannot be read */
export async function findInLogs(files: readonly string[], requestId: string): Promise<FoundLines> {
  const entries: LogEntry[] = [];
  let linesRead = 0;
  let firstAt: string | null = null;
  let lastAt: string | null = null;
  for (const file of files) {
    for await (const line of linesOf(file)) {
      linesRead += 1;
      lastAt = timeIn(line) ?? lastAt;
      firstAt ??= lastAt;
      if (entries.length < ENTRIES_MAX) entries.push(...entriesIn(line, requestId));
    }
  }
  return { entries, linesRead, firstAt, lastAt };
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const stream = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  try {
    for await (const line of readLines(stream.setEncoding('utf8'), LINE_MAX_CHARACTERS)) {
      if (line) yield line;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Rejection(`The log ${file} cannot be read (${why}).`, { cause: error });
  }
}

function timeIn(line: string): string | undefined {
  return /"time":"([^"]{20,30})"/.exec(line)?.[1];
}

/**
 * Searches the line as text first, because parsing every line as JSON is slow. A log collector may
 * have written a name or a time before the JSON.
 */
function entriesIn(line: string, requestId: string): readonly LogEntry[] {
  if (!line.includes(requestId)) return [];
  try {
    const entry = JSON.parse(line.slice(line.indexOf('{'))) as LogEntry | null;
    return entry?.['request_id'] === requestId ? [entry] : [];
  } catch {
    return [];
  }
}
