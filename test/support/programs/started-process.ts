// Starts a program as from a terminal, and records its output.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ROOT, RUN_TYPESCRIPT } from '../../../src/dev/tools';

export interface StartedProcess {
  readonly process: ChildProcess;
  /** The text on stdout and stderr so far. */
  readonly output: () => string;
  /** Sends SIGINT, as Ctrl-C does. Resolves with the exit code. */
  interrupt(): Promise<number | null>;
}

/**
 * @param script relative to the root of the repository
 * @param inherited inherited environment; default that of this process
 */
export function startProcess(
  script: string,
  env: NodeJS.ProcessEnv,
  inherited: NodeJS.ProcessEnv = process.env,
): StartedProcess {
  const command = [process.execPath, ...RUN_TYPESCRIPT, script];
  return startCommand(command, { cwd: ROOT, env: { ...inherited, ...env } });
}

export function startCommand(
  [program = '', ...args]: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): StartedProcess {
  const child = spawn(program, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const addOutput = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', addOutput);
  child.stderr.on('data', addOutput);
  return {
    process: child,
    output: () => output,
    async interrupt() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
      return child.exitCode;
    },
  };
}
