// Ending processes: asked first, forced after a bounded time, and only when the pid is still the process we mean.
import { identify, isAlive, type ProcessIdentity } from './process-identity';
import { until } from './until';

interface Ending {
  readonly signal: NodeJS.Signals;
  readonly timeoutMs: number;
}

const KILLED_WITHIN_MS = 5_000;

/** Comes back when the process is gone. What it left in its process group goes with it. */
export async function endProcess(target: ProcessIdentity, ending: Ending): Promise<void> {
  if (!isAlive(target)) return;
  send(target.pid, ending.signal);
  if (await until(() => !isAlive(target), { timeoutMs: ending.timeoutMs })) return;
  killProcess(target);
  await until(() => !isAlive(target), { timeoutMs: KILLED_WITHIN_MS });
}

/** At once, without asking: for the second Ctrl-C and for processes that did not listen. */
export function killProcess(target: ProcessIdentity): void {
  if (!isAlive(target)) return;
  // Our children lead their own group; anything else is ended alone.
  if (!send(-target.pid, 'SIGKILL')) send(target.pid, 'SIGKILL');
}

export function ourIdentity(): ProcessIdentity {
  const own = identify(process.pid);
  if (!own) throw new Error('this process cannot be found in the process table');
  return own;
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
    return false;
  }
}
