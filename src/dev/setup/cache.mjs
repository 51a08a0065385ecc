// The cache folder outside node_modules, shared by all clones of one user. Each file is made under
// a temporary name in the same folder and renamed, so that two setups at once never see half a
// file.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, rename, rm, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SetupError } from './progress.mjs';

/** As root the folder must be readable by the user `postgres`, and /root is not. */
export function cacheDir(environment = process.env) {
  const chosen = environment['PAYMENT_INTENTS_CACHE_DIR'];
  if (chosen) return resolve(chosen);
  if (isRoot()) return '/var/cache/payment-intents';
  if (environment['XDG_CACHE_HOME']) return join(environment['XDG_CACHE_HOME'], 'payment-intents');
  const users = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
  return join(homedir(), users, 'payment-intents');
}

export function isRoot() {
  return userInfo().uid === 0;
}

/** @param {string} path */
export async function exists(path, mode = constants.F_OK) {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** @param {string} path */
export async function isExecutable(path) {
  return (await exists(path, constants.X_OK)) && (await stat(path)).isFile();
}

/**
 * The executables with one of these names on the PATH, in its order.
 * @param {Record<string, string | undefined>} environment
 * @param {readonly string[]} names
 */
export async function executablesOnPath(environment, names) {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const isThere = await Promise.all(places.map(isExecutable));
  return places.filter((_, index) => isThere[index]);
}

/**
 * Puts a file or folder into the cache: `make` fills a scratch folder and returns the path in it
 * that becomes `target`. It makes the cache folder too, and replaces a target that has lost files.
 * @param {string} target
 * @param {(scratch: string) => Promise<string>} make
 * @returns {Promise<string>} the target
 */
export async function putIntoCache(target, make) {
  const scratch = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
  const aside = `${scratch}.old`;
  try {
    await mkdir(scratch, { recursive: true, mode: 0o755 });
    const made = await make(scratch);
    // A folder does not replace another.
    await rename(target, aside).catch(() => undefined);
    await rename(made, target).catch(async (error) => {
      // Another setup may have put the same there at this moment.
      if (!(await exists(target))) throw error;
    });
    return target;
  } finally {
    await rm(aside, { recursive: true, force: true });
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Throws if the checksum of the file is not one of the pinned ones.
 * @param {string} file
 * @param {readonly string[]} pinned
 */
export async function demandChecksum(file, pinned) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  const actual = hash.digest('hex');
  if (pinned.includes(actual)) return;
  throw new SetupError(
    `its sha256 ${actual.slice(0, 12)}… is not the pinned one, so it was deleted`,
  );
}
