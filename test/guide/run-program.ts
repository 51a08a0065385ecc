// Runs a program of any language until it exits or its timeout ends it, as a partner runs it in a
// terminal.
import { spawn } from 'node:child_process';

/** Enough for a compiler on a busy machine, and a bound for a program that hangs. */
const TIMEOUT_MS = 120_000;

export interface ProgramRun {
  /** Null when the timeout ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** @throws Error when there is no such program */
export function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env, input = '', timeoutMs = TIMEOUT_MS }: Surroundings,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const child = spawn(program, args, { cwd, env, signal, killSignal: 'SIGKILL' });
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString('utf8')));
    // A timeout is no error here: the result has no exit code, and the output so far.
    child.once('error', (error) => {
      if (!signal.aborted) reject(error);
    });
    // A program that exits without reading its input closes the pipe, which is no error.
    child.stdin.on('error', () => undefined);
    child.once('close', (code) => {
      resolve({ code, ...printed });
    });
    child.stdin.end(input);
  });
}
