// A folder for the servers of one test run, outside the clone. It names its owner process, so that
// the next run of the same purpose can stop and remove the servers of a killed run.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../../../src/dev/private-files';
import { endStaleProcesses, isAlive, ourIdentity } from '../../../src/dev/stack/processes';
import { readTools, type Tools } from '../../../src/dev/tools';

/** Runs clean up only folders of their own purpose. */
type Purpose = 'test' | 'bench' | 'chaos';

/**
 * This folder is in memory on Linux. Containers often have only 64 MB there, or less memory than
 * the machine.
 */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

const ownerSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

export function makeServerFolder(purpose: Purpose) {
  const tools = readTools();
  const directory = mkdtempSync(join(parentFolder(tools, purpose), prefixOf(purpose)));
  // The system user postgres needs access to folders below.
  chmodSync(directory, 0o711);
  writePrivateJson(join(directory, 'owner.json'), ourIdentity());
  return { tools, directory, remove: () => removeFolder(directory) };
}

/**
 * Stops the processes of killed runs and removes their folders.
 * @param onRemove cleans up before the removal, such as mounts
 */
export async function removeAbandoned(
  purpose: Purpose,
  onRemove: (directory: string) => void = () => undefined,
): Promise<void> {
  for (const directory of foldersOf(purpose)) {
    const owner = ownerSchema.safeParse(readJsonFile(join(directory, 'owner.json')));
    if (!owner.success || isAlive(owner.data)) continue;
    await endStaleProcesses(directory);
    onRemove(directory);
    removeFolder(directory);
  }
}

/** Searches memory and disk: the free memory at that time decided where a folder was made. */
function foldersOf(purpose: Purpose): readonly string[] {
  const parents = [diskFolder(readTools(), purpose), MEMORY].filter((parent) => existsSync(parent));
  return parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((entry) => entry.startsWith(prefixOf(purpose)))
      .map((entry) => join(parent, entry)),
  );
}

/**
 * Tests make thousands of databases, ten times as fast in memory. Benches and chaos need a real
 * disk.
 */
function parentFolder(tools: Tools, purpose: Purpose): string {
  return purpose === 'test' && isRoomInMemory() ? MEMORY : diskFolder(tools, purpose);
}

function isRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_NEEDED_BYTES;
}

/**
 * For root, Postgres runs as another user, who can access the cache folder but maybe not the
 * temporary folder.
 */
function diskFolder({ postgres, cacheDir }: Tools, purpose: Purpose): string {
  const parent = postgres.user ? join(cacheDir, purpose) : tmpdir();
  mkdirSync(parent, { recursive: true });
  return parent;
}

function prefixOf(purpose: Purpose): string {
  return `payment-intents-${purpose}-`;
}

function removeFolder(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
