// `.local/processes.json`: which processes belong to this folder, so that the next start ends what a killed one left.
import { join } from 'node:path';
import { z } from 'zod';
import { endProcess } from './process-end';
import { isAlive, processesOwnedBy, type ProcessIdentity } from './process-identity';
import { readJsonFile, writePrivateJson } from './private-files';

const recordSchema = z.array(
  z.object({ name: z.string(), pid: z.number().int().positive(), startedAt: z.string() }),
);

export interface ProcessRecord extends ProcessIdentity {
  readonly name: string;
}

/** The order in which parts stop: those that use the others first (`npm start` starts them the other way round). */
const STOP_ORDER = ['api', 'worker', 'sandbox', 'temporal', 'postgres'];
const STALE_TIMEOUT_MS = 5_000;

export function inStopOrder<Part extends { readonly name: string }>(
  parts: readonly Part[],
): Part[] {
  // What is not in the list (a migration, payctl) uses the others too, so it comes first.
  const rank = ({ name }: Part) => STOP_ORDER.indexOf(name);
  return [...parts].sort((one, other) => rank(one) - rank(other));
}

/** Postgres takes SIGINT for a fast shutdown; SIGTERM would wait for its clients. */
export function stopSignalOf(name: string): NodeJS.Signals {
  return name === 'postgres' ? 'SIGINT' : 'SIGTERM';
}

export function writeRecords(directory: string, records: readonly ProcessRecord[]): void {
  writePrivateJson(recordsFile(directory), records);
}

/** Ends what is left of an earlier start in this folder and answers the names; a recycled pid is left alone. */
export async function endStaleProcesses(directory: string): Promise<readonly string[]> {
  const parsed = recordSchema.safeParse(readJsonFile(recordsFile(directory)));
  const recorded = parsed.success ? parsed.data : [];
  const known = new Set(recorded.map(({ pid }) => pid));
  const unrecorded = processesOwnedBy(directory, known);
  const stale = [...recorded, ...unrecorded.map((identity) => ({ name: 'other', ...identity }))];
  const ended: string[] = [];
  for (const part of inStopOrder(stale)) {
    if (await endStale(part)) ended.push(part.name);
  }
  writeRecords(directory, []);
  return ended;
}

async function endStale({ name, pid, startedAt }: ProcessRecord): Promise<boolean> {
  if (!isAlive({ pid, startedAt })) return false;
  await endProcess({ pid, startedAt }, { signal: stopSignalOf(name), timeoutMs: STALE_TIMEOUT_MS });
  return true;
}

function recordsFile(directory: string): string {
  return join(directory, 'processes.json');
}
