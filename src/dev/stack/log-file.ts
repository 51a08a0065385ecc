// The log file of one part. Its process writes the file itself, so that logging continues when the
// supervisor is killed.
import { mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { readText } from '../private-files';

/** At a start, a larger log is renamed to `.1`, which replaces the older one. */
const LOG_MAX_BYTES = 10 * 1024 * 1024;
const LAST_WORDS_MAX_CHARACTERS = 300;

interface OpenLog {
  /** For the child's standard output and error. */
  readonly descriptor: number;
  /** The offset at which the output of this process begins. */
  readonly startsAt: number;
}

export function openLog(path: string): OpenLog {
  mkdirSync(dirname(path), { recursive: true });
  if (sizeOf(path) > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
  return { descriptor: openSync(path, 'a', 0o600), startsAt: sizeOf(path) };
}

/** The text from that byte offset on. */
export async function readLogFrom(path: string, startsAt: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const length = Math.max(0, (await file.stat()).size - startsAt);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, startsAt);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The last message in a log, without its JSON, for the error about a part that did not start. */
export function lastWordsIn(path: string): string {
  const lines = readText(path).split('\n').map(messageIn);
  const messages = lines.filter((line) => line !== '' && !/^\s+at |^Node\.js v|^[{}\]]/.test(line));
  return (messages.at(-1) ?? '').trim().slice(0, LAST_WORDS_MAX_CHARACTERS);
}

/** The message of the last log entry with an error, in the same form; empty when there is none. */
export function lastErrorIn(path: string): string {
  const line = readText(path)
    .split('\n')
    .findLast((text) => text.includes('"err":'));
  return line === undefined ? '' : messageIn(line).slice(0, LAST_WORDS_MAX_CHARACTERS);
}

const entrySchema = z.object({
  msg: z.string(),
  err: z.object({ message: z.string() }).optional(),
});

function messageIn(line: string): string {
  try {
    const { msg, err } = entrySchema.parse(JSON.parse(line));
    return err === undefined ? msg : `${msg}: ${err.message}`;
  } catch {
    return line;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
