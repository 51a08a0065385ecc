// Starts `npm run sandbox:try` as a user does, and reads its page while the page is still being
// written.
import { until } from '../../../src/dev/until';
import { startProcess, type StartedProcess } from '../programs/started-process';

const START_WITHIN_MS = 60_000;

export interface SandboxTry extends StartedProcess {
  /** The URL of the page; empty if the program did not start. */
  readonly address: () => string;
}

/** Resolves when the program serves its page, or has exited. */
export async function sandboxTry(localDir: string): Promise<SandboxTry> {
  const started = startProcess('src/dev/try/try.ts', { LOCAL_DIR: localDir });
  const address = () => /http:\/\/[\d.:]+/.exec(started.output())?.[0] ?? '';
  const isServing = () => started.output().includes('Play a payment') && address() !== '';
  const hasEnded = () => started.process.exitCode !== null;
  await until(() => isServing() || hasEnded(), { timeoutMs: START_WITHIN_MS });
  return { ...started, address };
}

interface GrowingPage {
  /** Reads until the text arrives or the page ends. Returns everything so far. */
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
