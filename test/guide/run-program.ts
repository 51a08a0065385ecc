// Programs of any language, run to their end with a bound on their time, as a partner runs them in a terminal.
import { spawn } from 'node:child_process';

/** A compiler on a busy machine takes its time; a program that hangs must not. */
const TIMEOUT_MS = 120_000;

export interface ProgramRun {
  /** Null when it was ended for its time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

/** @throws Error when there is no such program */
export function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env, input = '' }: Surroundings,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const child = spawn(program, args, { cwd, env, signal, killSignal: 'SIGKILL' });
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString('utf8')));
    // One that took too long is told by its missing code, with what it had printed.
    child.once('error', (error) => {
      if (!signal.aborted) reject(error);
    });
    // A program that ends without reading its input closes the pipe under us.
    child.stdin.on('error', () => undefined);
    child.once('close', (code) => {
      resolve({ code, ...printed });
    });
    child.stdin.end(input);
  });
}
