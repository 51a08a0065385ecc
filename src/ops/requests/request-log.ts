// Searches the API's log, one JSON line per entry, for the lines of one request. A rejected request
// is stored nowhere else, so that a flood of them writes nothing to Postgres (decision 12).
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { processEnvironment, readLocalDir } from '../../config/config';
import { readLines } from '../lines-of-stream';
import { collect } from '../option-values';
import { Rejection } from '../rejection';
import { option } from '../verb';

export const LOG = option(
  '--log <file>',
  'a log of the API; repeat for more, - for standard input',
).argParser(collect);

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

/** The named logs, or else those of `npm start`: the rotated one, then the current one. */
export function logsOf(named: readonly string[] | undefined): readonly string[] {
  if (named !== undefined) return named;
  const environment = processEnvironment();
  const current = join(readLocalDir(environment), 'logs', 'api.log');
  const logs = environment['DATABASE_URL'] ? [] : [`${current}.1`, current].filter(existsSync);
  if (logs.length > 0) return logs;
  throw new Rejection(
    'There is no log of a sandbox here. Name the log of the API with --log, or pipe it in with --log -.',
  );
}

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
      if (entries.length < ENTRIES_MAX)
        entries.push(...parsed(line, requestId).filter(({ request_id: id }) => id === requestId));
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

/** The entries of the logs whose line has the text. @throws Rejection if a file cannot be read */
export async function* entriesWith(
  files: readonly string[],
  text: string,
): AsyncGenerator<LogEntry> {
  for (const file of files) {
    for await (const line of linesOf(file)) yield* parsed(line, text);
  }
}

/**
 * Searches the line as text first, because parsing every line as JSON is slow. A log collector may
 * have written a name or a time before the JSON.
 */
function parsed(line: string, text: string): readonly LogEntry[] {
  if (!line.includes(text)) return [];
  try {
    const entry = JSON.parse(line.slice(line.indexOf('{'))) as LogEntry | null;
    return entry === null ? [] : [entry];
  } catch {
    return [];
  }
}
