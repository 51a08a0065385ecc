// A program of ours as a person starts it in a terminal, with everything that it writes kept.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

export interface KeptProcess {
  readonly process: ChildProcess;
  /** Everything on both outputs so far. */
  readonly output: () => string;
  /** Ctrl-C; comes back with the exit code. */
  interrupt(): Promise<number | null>;
}

/**
 * @param script from the root of the repository
 * @param inherited of this process; all of it unless told
 */
export function startKept(
  script: string,
  env: NodeJS.ProcessEnv,
  inherited: NodeJS.ProcessEnv = process.env,
): KeptProcess {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', script], {
    cwd: ROOT,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
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
