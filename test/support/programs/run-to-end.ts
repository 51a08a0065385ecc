// Runs a program to its end, as operators do, with the given settings and none of this machine's.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT, RUN_TYPESCRIPT } from '../../../src/dev/tools';

/** Kills a program that serves instead of exiting. */
const ENDS_WITHIN_MS = 90_000;
/** A program that prints more is killed. */
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

export type ProgramSettings = Readonly<Record<string, string>>;

/** The only variables that a program inherits from this machine. */
export const NOTHING_ELSE: ProgramSettings = { PATH: '/usr/bin:/bin' };

export interface ProgramResult {
  /** -1 after a kill. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Program {
  readonly args: readonly string[];
  /** Standard input, which then ends; undefined leaves it open. */
  readonly input?: string;
}

/**
 * @param script a TypeScript file relative to the root of the repository, or the full path of a
 *   bundle
 */
export function runToEnd(
  script: string,
  given: readonly string[] | Program,
  settings: ProgramSettings,
): Promise<ProgramResult> {
  const { args, input } = 'args' in given ? given : { args: given, input: undefined };
  const program = script.endsWith('.ts') ? [...RUN_TYPESCRIPT, join(ROOT, script)] : [script];
  const run = [...program, ...args];
  const env = { ...NOTHING_ELSE, ...settings };
  const limits = { timeout: ENDS_WITHIN_MS, maxBuffer: OUTPUT_MAX_BYTES } as const;
  const options = { env, cwd: ROOT, ...limits, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, run, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
    if (input !== undefined) child.stdin?.end(input);
  });
}
