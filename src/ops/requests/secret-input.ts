// A secret that a command needs: from the environment, a pipe or a prompt. It is never an argument,
// because every user of the machine can read those.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { processEnvironment } from '../../config/config';
import { Rejection } from '../rejection';

interface SecretKind {
  /** The variable of the environment. */
  readonly variable: string;
  /** What it is, such as `signing secret`. */
  readonly name: string;
  readonly maxBytes: number;
}

export const SIGNING_SECRET = {
  variable: 'SIGNING_SECRET',
  name: 'signing secret',
  maxBytes: 4_096,
};
/** Longer than the service accepts, so that a token that is too long is explained. */
export const SESSION_TOKEN = {
  variable: 'SESSION_TOKEN',
  name: 'session token',
  maxBytes: 65_536,
};

/** @throws Rejection if there is none */
export async function readSecret(kind: SecretKind): Promise<string> {
  const read = process.stdin.isTTY ? fromPrompt : fromPipe;
  const secret = processEnvironment()[kind.variable] ?? (await read(kind));
  if (secret !== '') return secret;
  throw new Rejection(`There is no ${kind.name}. Set ${kind.variable}, or type it at the prompt.`);
}

/** The line editor echoes what is typed, so its output goes nowhere. */
async function fromPrompt({ name }: SecretKind): Promise<string> {
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const ended = new AbortController();
  // Ctrl-C and Ctrl-D end the line editor, not the question.
  lines.once('close', () => {
    ended.abort();
  });
  process.stderr.write(`${name.charAt(0).toUpperCase()}${name.slice(1)} (not shown): `);
  try {
    return await lines.question('', { signal: ended.signal });
  } catch (cause) {
    throw new Rejection(`No ${name} was typed.`, { cause });
  } finally {
    process.stderr.write('\n');
    lines.close();
  }
}

/** Removes one final line break, which most programs add. */
async function fromPipe({ name, maxBytes }: SecretKind): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const input: AsyncIterable<Uint8Array> = process.stdin;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new Rejection(`The piped input is over ${maxBytes} bytes, so it is not a ${name}.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
