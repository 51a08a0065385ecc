// A program of src/main as a process of its own, with nothing of this one's environment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../src/dev/tools';

export interface OwnProgram {
  /** What it has written so far, its log. */
  log(): string;
  readonly ended: Promise<Ended>;
  kill(): Promise<void>;
}

export interface Ended {
  /** Null after a kill. */
  readonly code: number | null;
  readonly stderr: string;
}

export function startProgram(name: string, env: Readonly<Record<string, string>>): OwnProgram {
  const script = join(ROOT, `src/main/${name}.ts`);
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', script], {
    cwd: ROOT,
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stderr }));
  return {
    log: () => stdout,
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
