// Which process a pid means: a pid alone may be a stranger's by now, a pid with its start time is one process for ever.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal texts mean the same process. */
  readonly startedAt: string;
}

/** Put into the environment of every process of a local folder, so that even one never written down is found. */
export const OWNER_VARIABLE = 'PAYMENT_INTENTS_OWNER';

/** The identity of a running process, or undefined when there is none (or only a zombie, which has ended). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** False for a stranger that got the pid after the process had ended. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/**
 * Linux only, elsewhere empty: the processes that carry the owner's mark, without those that are known already and
 * without children of either (Postgres ends its own).
 */
export function processesOwnedBy(
  owner: string,
  known: ReadonlySet<number>,
): readonly ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const mark = `\0${OWNER_VARIABLE}=${owner}\0`;
  const marked = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => `\0${readProc(pid, 'environ') ?? ''}\0`.includes(mark));
  const parents = new Set([...known, ...marked]);
  return marked
    .filter((pid) => !known.has(pid) && !parents.has(parentOf(pid)))
    .map(identify)
    .filter((identity) => identity !== undefined);
}

/** The command line, for telling whether a pid in a lock file is still the program that wrote it. */
export function commandLineOf(pid: number): string {
  if (process.platform === 'linux') return (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ');
  return ps(pid, 'command=') ?? '';
}

function startOnLinux(pid: number): string | undefined {
  const { state, ticks } = statOf(pid) ?? {};
  return ticks === undefined || state === 'Z' ? undefined : `${bootId()}:${ticks}`;
}

function parentOf(pid: number): number {
  return Number(statOf(pid)?.parent);
}

/** Fields 3, 4 and 22 (start, in ticks since boot); the name before them may hold anything, brackets too. */
function statOf(pid: number) {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], parent: fields[1], ticks: fields[19] };
}

function startByPs(pid: number): string | undefined {
  const [state = '', ...started] = (ps(pid, 'stat=,lstart=') ?? '').trim().split(/\s+/);
  return started.length === 0 || state.startsWith('Z') ? undefined : started.join(' ');
}

function ps(pid: number, columns: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
