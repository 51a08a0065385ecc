// Our own processes, from their TypeScript sources unless told: the long-running ones as parts, the others run to their end.
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { openLog, lastWordsIn } from './log-file';
import { OWNER_VARIABLE } from './process-identity';
import type { LaunchSpec, Part } from './part';
import { StartError } from './start-error';
import { ROOT } from './tools';

type Environment = Readonly<Record<string, string | undefined>>;

/** tsx hooked into `require` starts faster than its loader, and the process is Node itself, not a wrapper. */
const RUN_TYPESCRIPT = ['--require', 'tsx/cjs'];
const READY_MESSAGE = '"msg":"ready"';

interface OwnPart {
  readonly name: string;
  /** Relative to the clone; TypeScript or JavaScript. */
  readonly script: string;
  /** Before every launch. */
  readonly environment: () => Environment | Promise<Environment>;
}

/** Ready when its log says so. */
export function ownPart({ name, script, environment }: OwnPart): Part {
  return {
    name,
    prepare: async () => specOf(script, [], await environment()),
    isReady: async (launched) => (await launched.log()).includes(READY_MESSAGE),
  };
}

/** What every task of one start shares. */
export interface TaskContext {
  readonly env: Environment;
  /** `.local`, where the logs go. */
  readonly directory: string;
  /** Aborted when everything stops. */
  readonly stopping: AbortSignal;
}

interface Task {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/**
 * Runs a script to its end and answers what it printed.
 * @throws StartError with its last words
 */
export function runTask(task: Task, { env, directory, stopping }: TaskContext): Promise<string> {
  const { name, script, args = [] } = task;
  const { program, args: nodeArgs, cwd } = specOf(script, args, env);
  const logPath = join(directory, 'logs', `${name}.log`);
  const log = openLog(logPath);
  return new Promise((resolve, reject) => {
    const child = spawn(program, nodeArgs, {
      cwd,
      env: { ...env, [OWNER_VARIABLE]: directory },
      stdio: ['ignore', 'pipe', log.descriptor],
      detached: true,
      signal: stopping,
      killSignal: 'SIGKILL',
    });
    closeSync(log.descriptor);
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new StartError(failure(name, logPath, printed)));
    });
  });
}

function failure(name: string, logPath: string, printed: string): string {
  const words = lastWordsIn(logPath) || printed.trim().slice(-300);
  return `The step ${name} failed; its log is ${logPath}. Its last words: ${words}`;
}

function specOf(script: string, args: readonly string[], env: Environment): LaunchSpec {
  const flags = script.endsWith('.ts') ? RUN_TYPESCRIPT : [];
  return {
    program: process.execPath,
    args: [...flags, join(ROOT, script), ...args],
    env,
    cwd: ROOT,
  };
}
