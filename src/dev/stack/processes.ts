// Finds and ends the processes of a local folder. A pid alone may belong to another program by now;
// a pid with its start time identifies one process for ever.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, readText, writePrivateJson } from '../private-files';
import { until } from '../until';

export const identitySchema = z.object({
  pid: z.number().int().positive(),
  /** Opaque; equal texts mean the same process. */
  startedAt: z.string(),
});
const recordSchema = identitySchema.extend({ name: z.string() });

export type ProcessIdentity = Readonly<z.infer<typeof identitySchema>>;
export type ProcessRecord = Readonly<z.infer<typeof recordSchema>>;

/**
 * Set in the environment of every process of a local folder, so that a process without a record is
 * found too.
 */
export const OWNER_VARIABLE = 'PAYMENT_INTENTS_OWNER';

/**
 * The order in which parts stop: a part stops before the parts that it uses (`npm start` starts
 * them in reverse).
 */
const STOP_ORDER = ['api', 'worker', 'sandbox', 'temporal', 'postgres'];
const STALE_TIMEOUT_MS = 5_000;
const KILL_TIMEOUT_MS = 5_000;
const IS_LINUX = process.platform === 'linux';

/**
 * The identity of a running process, or undefined when there is none (or only a zombie, which has
 * ended).
 */
export function identify(pid: number): ProcessIdentity | undefined {
  const { state = 'Z', startedAt = '' } = IS_LINUX ? statOf(pid) : statByPs(pid);
  return state.startsWith('Z') ? undefined : { pid, startedAt };
}

/** False when another process got the pid after this one had ended. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

export function ourIdentity(): ProcessIdentity {
  const own = identify(process.pid);
  if (!own) throw new Error('this process cannot be found in the process table');
  return own;
}

/**
 * The command line, which shows whether the pid in a lock file is still the program that wrote it.
 */
export function commandLineOf(pid: number): string {
  return IS_LINUX ? readProc(pid, 'cmdline').replaceAll('\0', ' ') : ps(pid, 'command=');
}

export function inStopOrder<Part extends { readonly name: string }>(
  parts: readonly Part[],
): Part[] {
  // A process that is not in the list (a migration, payctl) uses the others too, so it comes first.
  const rank = ({ name }: Part) => STOP_ORDER.indexOf(name);
  return [...parts].sort((one, other) => rank(one) - rank(other));
}

/**
 * Sends a signal to stop and, after the timeout, kills the process with its process group; each
 * only while the pid still belongs to the same process. Resolves when the process is gone.
 */
export async function endProcess(target: ProcessRecord, timeoutMs: number): Promise<void> {
  if (!isAlive(target)) return;
  const isGone = () => !isAlive(target);
  // SIGINT is the fast shutdown of Postgres; on SIGTERM it would wait for its clients.
  send(target.pid, target.name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  if (await until(isGone, { timeoutMs })) return;
  killProcess(target);
  await until(isGone, { timeoutMs: KILL_TIMEOUT_MS });
}

/** Kills at once: for the second Ctrl-C, and for processes that ignored the signal to stop. */
export function killProcess(target: ProcessIdentity): void {
  if (!isAlive(target)) return;
  // Our children lead their own process group; any other process is killed alone.
  if (!send(-target.pid, 'SIGKILL')) send(target.pid, 'SIGKILL');
}

/**
 * Writes `.local/processes.json`, so that the next start ends the processes that a killed start
 * left.
 */
export function writeRecords(directory: string, records: readonly ProcessRecord[]): void {
  writePrivateJson(recordsFile(directory), records);
}

/**
 * Ends the processes that an earlier start in this folder left, and returns their names; leaves a
 * reused pid alone.
 */
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
 * The processes with the owner's variable in their environment, without those that are known
 * already and without children of either (Postgres ends its own). Linux only; empty elsewhere.
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
    // The process has ended meanwhile.
    return false;
  }
}

/**
 * Fields 3, 4 and 22 (start, in ticks since boot). The name before them may contain any character,
 * also brackets.
 */
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

/** Empty when there is no such process. */
function ps(pid: number, columns: string): string {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** Empty when there is no such process, or it belongs to another user. */
function readProc(folder: number | string, file: string): string {
  return readText(`/proc/${String(folder)}/${file}`);
}
