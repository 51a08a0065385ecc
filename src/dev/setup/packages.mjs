// Runs `npm ci` when node_modules is missing or does not match package-lock.json.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { SetupError, step } from './progress.mjs';
import { run } from './run.mjs';

const INSTALL_MAX_MS = 15 * 60_000;

/** @param {string} root of the clone */
export async function installPackages(root) {
  if (await isInstalled(root)) return;
  await step('installing packages (npm ci)', () =>
    withLock(join(root, '.local', 'setup.lock'), async () => {
      // The setup that held the lock may have installed them.
      if (await isInstalled(root)) return;
      await npmCi(root);
      await storeDigest(root);
    }),
  );
}

/** @param {string} root */
async function isInstalled(root) {
  const stored = await readFile(digestFile(root), 'utf8').catch(() => '');
  if (stored === (await lockDigest(root))) return true;
  if (!(await matchesInstalledTree(root))) return false;
  await storeDigest(root);
  return true;
}

/**
 * Whether the packages were installed by hand with `npm install`: npm lists them in a lock file
 * inside node_modules. Packages for other platforms are missing there; all others must be there in
 * the same version.
 * @param {string} root
 */
async function matchesInstalledTree(root) {
  const installed = await readLock(installedLock(root));
  const wanted = await readLock(join(root, 'package-lock.json'));
  if (!installed || !wanted) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    const found = installed[path];
    return found ? found.version === entry.version : entry.optional === true;
  });
}

/**
 * @typedef {{ version?: string, optional?: boolean, link?: boolean }} LockEntry
 * @param {string} file
 * @returns {Promise<Record<string, LockEntry> | undefined>}
 */
async function readLock(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** @param {string} root */
async function npmCi(root) {
  const npm = process.env['npm_execpath'];
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const command = npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args];
  const [program = 'npm', ...rest] = command;
  try {
    await run(program, rest, { cwd: root, timeoutMs: INSTALL_MAX_MS });
  } catch (error) {
    const reason = error instanceof SetupError ? error.message : String(error);
    throw new SetupError(
      `Installing the packages failed (${reason}): check the network and the npm registry setting, then run the same command again.`,
    );
  }
}

/** @param {string} root */
async function storeDigest(root) {
  await writeFile(digestFile(root), await lockDigest(root));
}

/** @param {string} root */
function installedLock(root) {
  return join(root, 'node_modules', '.package-lock.json');
}

/** @param {string} root */
function digestFile(root) {
  return join(root, 'node_modules', '.setup-lock-sha256');
}

/** @param {string} root */
async function lockDigest(root) {
  const lock = await readFile(join(root, 'package-lock.json')).catch(() => undefined);
  if (!lock)
    throw new SetupError(
      'package-lock.json is missing: restore it with `git checkout package-lock.json`.',
    );
  // npm writes it anew with each change of the installed packages, such as `npm prune`.
  const installed = await readFile(installedLock(root)).catch(() => '');
  return createHash('sha256').update(lock).update(installed).digest('hex');
}
