// The secret that `payctl sign` signs with: from the environment, a pipe or a prompt. It is never
// an argument, because every user of the machine can read those.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { processEnvironment } from '../../config';
import { Rejection } from '../rejection';

const SECRET_MAX_BYTES = 4_096;

/** @throws Rejection if there is none */
export async function readSigningSecret(): Promise<string> {
  const secret = processEnvironment()['SIGNING_SECRET'] ?? (await fromStandardInput());
  if (secret !== '') return secret;
  throw new Rejection('There is no signing secret. Set SIGNING_SECRET, or type it at the prompt.');
}

function fromStandardInput(): Promise<string> {
  return process.stdin.isTTY ? fromPrompt() : fromPipe();
}

/** The line editor echoes what is typed, so its output goes nowhere. */
async function fromPrompt(): Promise<string> {
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
  process.stderr.write('Signing secret (not shown): ');
  try {
    return await lines.question('', { signal: ended.signal });
  } catch (cause) {
    throw new Rejection('No signing secret was typed.', { cause });
  } finally {
    process.stderr.write('\n');
    lines.close();
  }
}

/** Removes one final line break, which most programs add. */
async function fromPipe(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const input: AsyncIterable<Uint8Array> = process.stdin;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > SECRET_MAX_BYTES) {
      throw new Rejection(
        `The piped input is over ${SECRET_MAX_BYTES} bytes, so it is not a signing secret.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
