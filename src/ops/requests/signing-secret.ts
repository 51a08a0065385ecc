// The secret that `payctl sign` signs with: from the environment, a pipe, or a person who types it unseen. Never an argument,
// which every user of the machine can read.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { processEnvironment } from '../../config';
import { Rejection } from '../rejection';

const SECRET_MAX_BYTES = 4_096;

/** @throws Rejection when there is none */
export async function readSigningSecret(): Promise<string> {
  const secret = processEnvironment()['SIGNING_SECRET'] ?? (await fromStandardInput());
  if (secret !== '') return secret;
  throw new Rejection('There is no signing secret: set SIGNING_SECRET, or type it when asked.');
}

function fromStandardInput(): Promise<string> {
  return process.stdin.isTTY ? typedUnseen() : piped();
}

/** The line editor writes back what is typed, so it is given nowhere to write to. */
async function typedUnseen(): Promise<string> {
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

/** Whatever pipes it in has most likely put a line end behind it. */
async function piped(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const input: AsyncIterable<Uint8Array> = process.stdin;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > SECRET_MAX_BYTES) {
      throw new Rejection(
        `What is piped in is over ${SECRET_MAX_BYTES} bytes: it is no signing secret.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
