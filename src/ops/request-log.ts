// The API's log, one JSON line per entry, searched for the lines of one request. Nothing about a refusal is kept anywhere
// else: a refused request leaves no trace in Postgres (decision 12), so that a flood of them writes nothing.
import { createReadStream } from 'node:fs';
import { Refusal } from './refusal';

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

/** @throws Refusal when a file cannot be read */
export async function findInLogs(files: readonly string[], requestId: string): Promise<FoundLines> {
  const entries: LogEntry[] = [];
  let span: readonly string[] = [];
  let looked = 0;
  for (const file of files) {
    for await (const line of linesOf(file)) {
      looked += 1;
      span = withTimeOf(line, span);
      if (entries.length < ENTRIES_MAX) entries.push(...entriesIn(line, requestId));
    }
  }
  return { entries, looked, firstAt: span.at(0) ?? null, lastAt: span.at(-1) ?? null };
}

/** What is looked for is searched as text first, since most lines are not worth reading as JSON. */
function entriesIn(line: string, requestId: string): readonly LogEntry[] {
  const entry = line.includes(requestId) ? parseEntry(line) : undefined;
  return entry?.['request_id'] === requestId ? [entry] : [];
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const stream = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  stream.setEncoding('utf8');
  const lines = createLines();
  try {
    for await (const chunk of stream) yield* lines.completedBy(String(chunk));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The log ${file} cannot be read (${why}).`, { cause: error });
  }
  yield* lines.completedBy('\n');
}

/** Whatever is in the file, no more than one line is kept. */
function createLines() {
  let rest = '';
  let isTooLong = false;
  return {
    completedBy(chunk: string): readonly string[] {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      // The end of one whose beginning was dropped.
      if (isTooLong && lines.length > 0) isTooLong = lines.shift() === undefined;
      if (rest.length > LINE_MAX_CHARACTERS) [rest, isTooLong] = ['', true];
      return lines.filter((line) => line !== '');
    },
  };
}

/** What collects logs may write a name or a time before the JSON. */
function parseEntry(line: string): LogEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line.slice(line.indexOf('{')));
    return typeof entry === 'object' && entry !== null ? (entry as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The first time and the last one, as far as lines have told any. */
function withTimeOf(line: string, span: readonly string[]): readonly string[] {
  const [, time] = /"time":"([^"]{20,30})"/.exec(line) ?? [];
  return time === undefined ? span : [...span.slice(0, 1), time];
}
