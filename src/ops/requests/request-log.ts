// The API's log, one JSON line per entry, searched for the lines of one request. Nothing about a rejection is kept anywhere
// else: a refused request leaves no trace in Postgres (decision 12), so that a flood of them writes nothing.
import { createReadStream } from 'node:fs';
import { Rejection } from '../rejection';
import { readLines } from '../lines-of-stream';

export interface FoundLines {
  readonly entries: readonly LogEntry[];
  readonly looked: number;
  /** Of the first and the last line that told a time. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

export type LogEntry = Readonly<Record<string, unknown>>;

/** `-` is standard input. */
const STANDARD_INPUT = '-';
/** A line of ours has some hundred characters; what is longer is none, and is not kept. */
const LINE_MAX_CHARACTERS = 100_000;
/** A request has one line, or two when it failed. */
const ENTRIES_MAX = 20;

/** @throws Rejection when a file cannot be read */
export async function findInLogs(files: readonly string[], requestId: string): Promise<FoundLines> {
  const entries: LogEntry[] = [];
  let looked = 0;
  let firstAt: string | null = null;
  let lastAt: string | null = null;
  for (const file of files) {
    for await (const line of linesOf(file)) {
      looked += 1;
      lastAt = timeIn(line) ?? lastAt;
      firstAt ??= lastAt;
      if (entries.length < ENTRIES_MAX) entries.push(...entriesIn(line, requestId));
    }
  }
  return { entries, looked, firstAt, lastAt };
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
 * The line is searched as text first, since most lines are not worth reading as JSON. What collects logs may write a name
 * or a time before the JSON.
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
