// A program of ours that is run to its end, as operations run one: with the settings it is given, and none of this machine's.
import { execFile } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');
/** Hooked into `require`, tsx starts in a third of the time that its command takes. */
const RUN_TYPESCRIPT = ['--require', 'tsx/cjs'];
/** What should have ended, and serves instead, is killed. */
const ENDS_WITHIN_MS = 90_000;

export type ProgramSettings = Readonly<Record<string, string>>;

/** All that a program sees of this machine. */
export const NOTHING_ELSE: ProgramSettings = { PATH: '/usr/bin:/bin' };

export interface Ran {
  /** -1 when it had to be killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Program {
  readonly args: readonly string[];
  /** What it gets on standard input, if that is to end. */
  readonly input?: string;
}

/** @param script from the root of the repository, in TypeScript; or a bundle, by its full path */
export function runToEnd(
  script: string,
  given: readonly string[] | Program,
  settings: ProgramSettings,
): Promise<Ran> {
  const { args, input } = 'args' in given ? given : { args: given, input: undefined };
  const program = script.endsWith('.ts') ? [...RUN_TYPESCRIPT, join(ROOT, script)] : [script];
  const run = [...program, ...args];
  const env = { ...NOTHING_ELSE, ...settings };
  const options = { env, cwd: ROOT, timeout: ENDS_WITHIN_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, run, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
    if (input !== undefined) child.stdin?.end(input);
  });
}
