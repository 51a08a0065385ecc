// Child processes that try mutations. Each exits by itself, at its timeout, or with the command.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const running = new Map<ChildProcess, () => void>();

/** @returns whether the timeout ended the child */
export async function untilExit(
  child: ChildProcess,
  end: () => void,
  timeoutMs: number,
): Promise<boolean> {
  running.set(child, end);
  const tooLong = AbortSignal.timeout(timeoutMs);
  tooLong.addEventListener('abort', end);
  await once(child, 'exit');
  tooLong.removeEventListener('abort', end);
  running.delete(child);
  return tooLong.aborted;
}

export async function endChildren(): Promise<void> {
  const exits = [...running.keys()].map((child) => once(child, 'exit'));
  for (const end of running.values()) end();
  await Promise.all(exits);
}
