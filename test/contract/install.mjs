// Installs a list of requirements (by default requirements.txt of this folder) into a Python
// environment in the cache folder, once for all clones of a user, and prints the path of its
// interpreter. It is plain Node, like the setup that it uses.
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir, exists, putIntoCache } from '../../src/dev/setup/cache.mjs';
import { SetupError, complain, step } from '../../src/dev/setup/progress.mjs';
import { run } from '../../src/dev/setup/run.mjs';

const REQUIREMENTS =
  process.argv[2] ?? fileURLToPath(new URL('./requirements.txt', import.meta.url));
const INSTALL_MAX_MS = 10 * 60_000;
const PROBE_MAX_MS = 30_000;

/** Prints the version of Python. It fails where a module for environments is missing. */
const PROBE = 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2])';
const OLDEST_MINOR = 10;

try {
  const { program, version } = await findPython();
  process.stdout.write(`${join(await environmentOf(program, version), 'bin', 'python')}\n`);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  complain(error.message);
  process.exitCode = 1;
}

async function findPython() {
  const found = [];
  for (const program of ['python3', 'python']) {
    const printed = await run(program, ['-c', PROBE], { timeoutMs: PROBE_MAX_MS }).catch(
      ({ message }) => message,
    );
    const version = printed.trim();
    const [, minor = '0'] = /^3\.(\d+)$/.exec(version) ?? [];
    if (Number(minor) >= OLDEST_MINOR) return { program, version };
    found.push(`${program}: ${version}`);
  }
  throw new SetupError(
    `This test needs Python 3.${OLDEST_MINOR} or later with venv and pip: install it and start again. Found: ${found.join('; ')}.`,
  );
}

/**
 * Makes one folder for each list of requirements and version of Python. The folder is renamed when
 * it is complete, and the scripts in it keep the old path: so run only its interpreter.
 * @param {string} program
 * @param {string} version
 */
async function environmentOf(program, version) {
  const requirements = await readFile(REQUIREMENTS, 'utf8');
  const digest = createHash('sha256').update(`${version}\n${requirements}`).digest('hex');
  const target = join(cacheDir(), 'contract', digest.slice(0, 16));
  if (await exists(target)) return target;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  return step('installing Python packages (pip)', () =>
    putIntoCache(target, async (scratch) => {
      const folder = join(scratch, 'environment');
      await run(program, ['-m', 'venv', folder], { timeoutMs: INSTALL_MAX_MS });
      const install = ['-m', 'pip', 'install', '--quiet', '--no-input', '-r', REQUIREMENTS];
      await run(join(folder, 'bin', 'python'), install, { timeoutMs: INSTALL_MAX_MS });
      return folder;
    }),
  ).catch((error) => {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(`pip could not install ${REQUIREMENTS}: ${error.message}`);
  });
}
