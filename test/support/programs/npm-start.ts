// Runs `npm start` in a separate folder on free ports, or the packed sandbox in the folder where it
// is installed: the process, its output, and the system that it describes.
import { join } from 'node:path';
import { identify } from '../../../src/dev/stack/processes';
import { readSandboxFile, type Sandbox } from '../../../src/dev/demo/sandbox-file';
import { until } from '../../../src/dev/until';
import { startCommand, startProcess, type StartedProcess } from './started-process';

/** Where npm installs it; relative to the folder. */
export const PACKED_PROGRAM = 'node_modules/.bin/payment-intents-sandbox';

const START_WITHIN_MS = 90_000;
const ANY_FREE_PORT = { PORTS: 'free' };

export interface NpmStart extends StartedProcess {
  readonly directory: string;
  /** The current system: pids change when a part is restarted. */
  readonly sandbox: () => Sandbox;
}

/** Resolves when the command reports that it is ready, or has exited. */
export async function npmStart(
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<NpmStart> {
  const env = { ...ANY_FREE_PORT, ...settings, LOCAL_DIR: directory, NO_COLOR: '1' };
  return whenReady(startProcess('src/dev/start.ts', env), directory);
}

/** @param folder in which the packed sandbox is installed; its data is in `.local` there */
export async function packedStart(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<NpmStart> {
  const own = { ...ANY_FREE_PORT, ...settings, LOCAL_DIR: undefined, NO_COLOR: '1' };
  const env = { ...process.env, ...own };
  const started = startCommand([PACKED_PROGRAM], { cwd: folder, env });
  return whenReady(started, join(folder, '.local'));
}

async function whenReady(launched: StartedProcess, directory: string): Promise<NpmStart> {
  const started = withSandbox(launched, directory);
  const isReady = () => /Ready in|is running here already/.test(started.output());
  const hasEnded = () => started.process.exitCode !== null;
  await until(() => isReady() || hasEnded(), { timeoutMs: START_WITHIN_MS });
  return started;
}

function withSandbox(started: StartedProcess, directory: string): NpmStart {
  return {
    ...started,
    directory,
    sandbox: () => {
      const sandbox = readSandboxFile(directory);
      if (sandbox === undefined)
        throw new Error(`nothing runs in ${directory}:\n${started.output()}`);
      return sandbox;
    },
  };
}

export function pidOf(sandbox: Sandbox, name: string): number {
  const found = sandbox.processes.find((part) => part.name === name);
  if (found === undefined) throw new Error(`no process ${name}`);
  return found.pid;
}

/**
 * The pids that still run after a moment. A process that has exited but was not collected yet does
 * not count.
 */
export async function stillRunning(pids: readonly number[]): Promise<readonly number[]> {
  await until(() => !pids.some(isRunning), { timeoutMs: 5_000 });
  return pids.filter(isRunning);
}

export function isRunning(pid: number): boolean {
  return identify(pid) !== undefined;
}
