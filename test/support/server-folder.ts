// A folder for the servers of one run, outside the clone. It names its owner, so that what a killed run left is ended and
// removed by the next of the same purpose.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../../src/dev/private-files';
import { endStaleProcesses, isAlive, ourIdentity } from '../../src/dev/processes';
import { readTools, type Tools } from '../../src/dev/tools';

/** Folders of another purpose are left alone. */
export type Purpose = 'test' | 'bench' | 'chaos';

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
  const parent = parentFolder(readTools(), purpose);
  const prefix = prefixOf(purpose);
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const directory = join(parent, name);
    const owner = ownerSchema.safeParse(readJsonFile(join(directory, 'owner.json')));
    if (!owner.success || isAlive(owner.data)) continue;
    await endStaleProcesses(directory);
    onRemove(directory);
    removeFolder(directory);
  }
}

/** As root Postgres runs as another user, which may enter the cache folder and perhaps not the one for temporary files. */
function parentFolder({ postgres, cacheDir }: Tools, purpose: Purpose): string {
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
