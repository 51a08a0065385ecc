// The data folder of this clone's Postgres. As root it is in the cache folder, since the user
// `postgres` may not be able to enter the clone; the folder is then named after a random id in
// `.local/instance`.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ourBaseline } from '../../postgres/baseline';
import { readText, writePrivateFile } from '../private-files';
import { StartError } from './start-error';
import type { Tools } from '../tools';

const OWNER_SUFFIX = '.owner';

/**
 * Called before anything else: the data of Postgres and Temporal works only with the baseline that
 * made it. Records the baseline in an empty folder.
 * @throws StartError when another baseline made the data; nothing is changed then
 */
export function requireOurBaseline(directory: string): void {
  const file = join(directory, 'baseline');
  const baseline = ourBaseline();
  if (readText(file).trim() === baseline) return;
  if (existsSync(join(directory, 'secrets.json'))) {
    throw new StartError(
      `The data in ${directory} is of an earlier baseline of the schema, from before 0.1.0, and nothing was changed. To begin anew, move it away and repeat: mv ${directory} ${directory}.before`,
    );
  }
  mkdirSync(directory, { recursive: true });
  writePrivateFile(file, baseline);
}

/**
 * Returns the data folder of this `.local`, and removes data folders whose `.local` was deleted.
 */
export function postgresDataDir(tools: Tools, directory: string): string {
  if (!tools.postgres.user) return join(directory, 'postgres');
  const folder = join(tools.cacheDir, 'data');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  removeOrphans(folder);
  const id = instanceId(directory);
  writePrivateFile(join(folder, `${id}${OWNER_SUFFIX}`), directory);
  return join(folder, id);
}

function instanceId(directory: string): string {
  const known = readText(join(directory, 'instance')).trim();
  if (/^[0-9a-f]{16}$/.test(known)) return known;
  const id = randomBytes(8).toString('hex');
  writePrivateFile(join(directory, 'instance'), id);
  return id;
}

function removeOrphans(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const id = entry.split('.')[0] ?? '';
    const owner = readText(join(folder, `${id}${OWNER_SUFFIX}`)).trim();
    const isOwned = owner !== '' && readText(join(owner, 'instance')).trim() === id;
    if (!isOwned && !isYoung(join(folder, entry))) {
      rmSync(join(folder, entry), { recursive: true, force: true });
    }
  }
}

/** The start of another clone may have made it a moment ago and not written its owner yet. */
function isYoung(path: string): boolean {
  // The start of another clone may also remove it meanwhile.
  const made = statSync(path, { throwIfNoEntry: false });
  return made !== undefined && Date.now() - made.mtimeMs < 60_000;
}
