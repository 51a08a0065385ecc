// Which processes belong to a local folder, and how they are ended. A pid alone may be a stranger's by now; a pid with its start
// time is one process for ever.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../private-files';
import { until } from '../until';

export const identitySchema = z.object({
  pid: z.number().int().positive(),
  /** Opaque; equal texts mean the same process. */
  startedAt: z.string(),
});
const recordSchema = identitySchema.extend({ name: z.string() });

export type ProcessIdentity = Readonly<z.infer<typeof identitySchema>>;
export type ProcessRecord = Readonly<z.infer<typeof recordSchema>>;

/** Put into the environment of every process of a local folder, so that even one never written down is found. */
export const OWNER_VARIABLE = 'PAYMENT_INTENTS_OWNER';

/** The order in which parts stop: those that use the others first (`npm start` starts them the other way round). */
const STOP_ORDER = ['api', 'worker', 'sandbox', 'temporal', 'postgres'];
const STALE_TIMEOUT_MS = 5_000;
const KILLED_WITHIN_MS = 5_000;
const IS_LINUX = process.platform === 'linux';

/** The identity of a running process, or undefined when there is none (or only a zombie, which has ended). */
export function identify(pid: number): ProcessIdentity | undefined {
  const { state = 'Z', startedAt = '' } = IS_LINUX ? statOf(pid) : statByPs(pid);
  return state.startsWith('Z') ? undefined : { pid, startedAt };
}

/** False for a stranger that got the pid after the process had ended. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

export function ourIdentity(): ProcessIdentity {
  const own = identify(process.pid);
  if (!own) throw new Error('this process cannot be found in the process table');
  return own;
}

/** The command line, for telling whether a pid in a lock file is still the program that wrote it. */
export function commandLineOf(pid: number): string {
  return IS_LINUX ? readProc(pid, 'cmdline').replaceAll('\0', ' ') : ps(pid, 'command=');
}

export function inStopOrder<Part extends { readonly name: string }>(
  parts: readonly Part[],
): Part[] {
  // What is not in the list (a migration, payctl) uses the others too, so it comes first.
  const rank = ({ name }: Part) => STOP_ORDER.indexOf(name);
  return [...parts].sort((one, other) => rank(one) - rank(other));
}

/**
 * Asked first, forced after a bounded time, and only when the pid is still the process that is meant. Comes back when it is gone;
 * what it left in its process group goes with it.
 */
export async function endProcess(target: ProcessRecord, timeoutMs: number): Promise<void> {
  if (!isAlive(target)) return;
  const isGone = () => !isAlive(target);
  // Postgres takes SIGINT for a fast shutdown; SIGTERM would wait for its clients.
  send(target.pid, target.name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  if (await until(isGone, { timeoutMs })) return;
  killProcess(target);
  await until(isGone, { timeoutMs: KILLED_WITHIN_MS });
}

/** At once, without asking: for the second Ctrl-C and for processes that did not listen. */
export function killProcess(target: ProcessIdentity): void {
  if (!isAlive(target)) return;
  // Our children lead their own group; anything else is ended alone.
  if (!send(-target.pid, 'SIGKILL')) send(target.pid, 'SIGKILL');
}

/** Into `.local/processes.json`, so that the next start ends what a killed one left. */
export function writeRecords(directory: string, records: readonly ProcessRecord[]): void {
  writePrivateJson(recordsFile(directory), records);
}

/** Ends what is left of an earlier start in this folder and answers the names; a recycled pid is left alone. */
export async function endStaleProcesses(directory: string): Promise<readonly string[]> {
  const { data: recorded = [] } = z
    .array(recordSchema)
    .safeParse(readJsonFile(recordsFile(directory)));
  const unrecorded = markedProcesses(directory, new Set(recorded.map(({ pid }) => pid)));
  const stale = inStopOrder([...recorded, ...unrecorded]).filter(isAlive);
  for (const record of stale) await endProcess(record, STALE_TIMEOUT_MS);
  writeRecords(directory, []);
  return stale.map(({ name }) => name);
}

function recordsFile(directory: string): string {
  return join(directory, 'processes.json');
}

/**
 * Linux only, elsewhere empty: the processes that carry the owner's mark, without those that are known already and
 * without children of either (Postgres ends its own).
 */
function markedProcesses(owner: string, known: ReadonlySet<number>): readonly ProcessRecord[] {
  if (!IS_LINUX) return [];
  const mark = `\0${OWNER_VARIABLE}=${owner}\0`;
  const marked = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => `\0${readProc(pid, 'environ')}\0`.includes(mark));
  const parents = new Set([...known, ...marked]);
  return marked
    .filter((pid) => !known.has(pid) && !parents.has(Number(statOf(pid).parent)))
    .map(identify)
    .filter((identity) => identity !== undefined)
    .map((identity) => ({ name: 'other', ...identity }));
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
    return false;
  }
}

/** Fields 3, 4 and 22 (start, in ticks since boot); the name before them may hold anything, brackets too. */
function statOf(pid: number) {
  const stat = readProc(pid, 'stat');
  if (stat === '') return {};
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedAt = `${readProc('sys/kernel/random', 'boot_id').trim()}:${fields[19] ?? ''}`;
  return { state: fields[0], parent: fields[1], startedAt };
}

function statByPs(pid: number) {
  const [state, ...started] = ps(pid, 'stat=,lstart=').trim().split(/\s+/);
  return started.length === 0 ? {} : { state, startedAt: started.join(' ') };
}

/** Empty where there is no such process. */
function ps(pid: number, columns: string): string {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** Empty where there is no such process, or it is another user's. */
function readProc(folder: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${String(folder)}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
