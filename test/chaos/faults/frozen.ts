// Freezes processes by SIGSTOP and resumes them later, all at once as on a paused machine. Their
// connections stay open.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Also freezes their children, such as the backends of Postgres. Returns the function that resumes
 * all.
 */
export async function freezeProcesses(pids: readonly number[]): Promise<() => void> {
  // Stopped parents cannot start further children.
  for (const pid of pids) send(pid, 'SIGSTOP');
  const children = descendantsOf(pids, await readParents());
  for (const pid of children) send(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...children, ...pids]) send(pid, 'SIGCONT');
  };
}

/** The parent of each process on the machine. */
async function readParents(): Promise<ReadonlyMap<number, number>> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const lines = stdout.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      return [pid, parent];
    }),
  );
}

function descendantsOf(
  pids: readonly number[],
  parents: ReadonlyMap<number, number>,
): readonly number[] {
  const children = [...parents].filter(([, parent]) => pids.includes(parent)).map(([pid]) => pid);
  return children.length === 0 ? [] : [...children, ...descendantsOf(children, parents)];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited meanwhile.
  }
}
