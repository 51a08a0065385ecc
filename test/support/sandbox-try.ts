// `npm run sandbox:try` as a person starts it, and the page that it serves as a browser reads it: while it is written.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '../../src/dev/until';

const ROOT = join(__dirname, '..', '..');
const START_WITHIN_MS = 60_000;

export interface SandboxTry {
  readonly output: () => string;
  /** Where the page is; empty where it did not start. */
  readonly address: () => string;
  readonly exitCode: () => number | null;
  /** Ctrl-C. */
  stop(): Promise<number | null>;
}

/** Comes back when it serves, or has ended. */
export async function sandboxTry(localDir: string): Promise<SandboxTry> {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'src/dev/try/try.ts'], {
    cwd: ROOT,
    env: { ...process.env, LOCAL_DIR: localDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const address = () => /http:\/\/[\d.:]+/.exec(output)?.[0] ?? '';
  const isServing = () => output.includes('Play a payment') && address() !== '';
  await until(() => isServing() || child.exitCode !== null, { timeoutMs: START_WITHIN_MS });
  return { output: () => output, address, exitCode: () => child.exitCode, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
  return child.exitCode;
}

export interface GrowingPage {
  /** Reads on until the text is there, or the page is whole; answers all that was written so far. */
  readTo(text: string): Promise<string>;
}

export async function openPage(address: string): Promise<GrowingPage> {
  const { body } = await fetch(address, { signal: AbortSignal.timeout(START_WITHIN_MS) });
  if (body === null) throw new Error('a page has a body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let written = '';
  return {
    async readTo(text) {
      while (!written.includes(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        written += value;
      }
      return written;
    },
  };
}
