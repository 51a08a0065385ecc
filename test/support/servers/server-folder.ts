// A folder for the servers of one run, outside the clone. It names its owner, so that what a killed run left is ended and
// removed by the next of the same purpose.
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

/** Folders of another purpose are left alone. */
export type Purpose = 'test' | 'bench' | 'chaos';

/** Linux keeps this folder in memory. Containers often have 64 MB there, or less memory than the machine. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

const ownerSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

export function makeServerFolder(purpose: Purpose) {
  const tools = readTools();
  const directory = mkdtempSync(join(parentFolder(tools, purpose), prefixOf(purpose)));
  // The system user postgres must be able to pass through.
  chmodSync(directory, 0o711);
  writePrivateJson(join(directory, 'owner.json'), ourIdentity());
  return { tools, directory, remove: () => removeFolder(directory) };
}

/** Of runs that were killed: their processes are ended first. @param onRemove lets go of what must be let go of before */
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

/** In memory and on disk: where a folder is made depends on how much memory was free then. */
function foldersOf(purpose: Purpose): readonly string[] {
  const parents = [diskFolder(readTools(), purpose), MEMORY].filter((parent) => existsSync(parent));
  return parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((entry) => entry.startsWith(prefixOf(purpose)))
      .map((entry) => join(parent, entry)),
  );
}

/** Tests make some thousand databases, which takes a tenth of the time in memory. Benches and chaos measure a disk. */
function parentFolder(tools: Tools, purpose: Purpose): string {
  return purpose === 'test' && isRoomInMemory() ? MEMORY : diskFolder(tools, purpose);
}

function isRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_NEEDED_BYTES;
}

/** As root Postgres runs as another user, which may enter the cache folder and perhaps not the one for temporary files. */
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
