// `npm run sandbox:try` as a person starts it, and the page that it serves as a browser reads it: while it is written.
import { until } from '../../../src/dev/until';
import { startKept, type KeptProcess } from '../programs/kept-process';

const START_WITHIN_MS = 60_000;

export interface SandboxTry extends KeptProcess {
  /** Where the page is; empty where it did not start. */
  readonly address: () => string;
}

/** Comes back when it serves, or has ended. */
export async function sandboxTry(localDir: string): Promise<SandboxTry> {
  const kept = startKept('src/dev/try/try.ts', { LOCAL_DIR: localDir });
  const address = () => /http:\/\/[\d.:]+/.exec(kept.output())?.[0] ?? '';
  const isServing = () => kept.output().includes('Play a payment') && address() !== '';
  const hasEnded = () => kept.process.exitCode !== null;
  await until(() => isServing() || hasEnded(), { timeoutMs: START_WITHIN_MS });
  return { ...kept, address };
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
