// Starts our own processes from TypeScript or JavaScript: long-running ones as parts, the others
// until they exit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { lastWordsIn, openLog } from './log-file';
import { OWNER_VARIABLE } from './processes';
import { StartError } from './start-error';
import type { LaunchSpec, Part } from './supervisor';
import { IS_PACKED, ROOT, RUN_TYPESCRIPT } from '../tools';
import type { Environment } from '../../config/values';

export type LaunchEnvironment = () => Environment | Promise<Environment>;

const READY_MESSAGE = '"msg":"ready"';

interface OwnPart {
  readonly name: string;
  /** Relative to the root; TypeScript, or JavaScript. */
  readonly script: string;
  /** Called before every launch. */
  readonly environment: LaunchEnvironment;
}

/** A part that is ready when its log has the line `ready`. */
export function ownPart({ name, script, environment }: OwnPart): Part {
  return {
    name,
    prepare: async () => specOf(script, [], await environment()),
    isReady: async (launched) => (await launched.log()).includes(READY_MESSAGE),
  };
}

/** Shared by all tasks of one start. */
export interface TaskContext {
  readonly env: Environment;
  /** `.local`, with the folder of the logs. */
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
 * Runs a script until it exits and returns its output.
 * @throws StartError with the last message of its log
 */
export async function runTask(task: Task, context: TaskContext): Promise<string> {
  const { env, directory, stopping } = context;
  const { program, args, cwd } = specOf(task.script, task.args ?? [], env);
  const logPath = join(directory, 'logs', `${task.name}.log`);
  const log = openLog(logPath);
  const child = spawn(program, args, {
    cwd,
    env: { ...env, [OWNER_VARIABLE]: directory },
    stdio: ['ignore', 'pipe', log.descriptor],
    detached: true,
    signal: stopping,
    killSignal: 'SIGKILL',
  });
  closeSync(log.descriptor);
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const printing = child.stdout === null ? '' : text(child.stdout);
  const [printed, [code]] = await Promise.all([printing, ended]);
  if (code === 0) return printed;
  const words = lastWordsIn(logPath) || printed.trim().slice(-300);
  throw new StartError(
    `The step ${task.name} failed; its log is ${logPath}. Its last words: ${words}`,
  );
}

function specOf(script: string, args: readonly string[], env: Environment): LaunchSpec {
  const file = IS_PACKED ? script.replace(/\.ts$/, '.js') : script;
  const flags = file.endsWith('.ts') ? RUN_TYPESCRIPT : [];
  return {
    program: process.execPath,
    args: [...flags, join(ROOT, file), ...args],
    env,
    cwd: ROOT,
  };
}
