// Finds the browser of the tests: CHROME_PATH, an installed Chrome or Chromium, or the one in the
// npm package `@sparticuz/chromium`, unpacked into the cache once. The package's own unpacking
// writes to the temporary folder, where two setups at once would see half a program, so it is not
// used.
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { cacheDir, executablesOnPath, isExecutable, putIntoCache } from './cache.mjs';
import { SetupError, note, step } from './progress.mjs';
import { run } from './run.mjs';

/**
 * @typedef {object} Chromium
 * @property {string} way
 * @property {string} path
 * @property {string} [libraries] folder of shared libraries that the system lacks
 */

const NAMES = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const PACKAGE = ['node_modules', '@sparticuz', 'chromium'];
const TIMEOUT_MS = 30_000;

/**
 * Undefined when there is none: then the tests that need a browser fail with a message, and all
 * others run.
 * @param {string} root of the clone
 * @param {Record<string, string | undefined>} environment
 * @param {Chromium | undefined} before the result of the last setup
 * @returns {Promise<Chromium | undefined>}
 */
export async function findChromium(root, environment, before) {
  const found =
    (await given(environment)) ?? (await installed(environment)) ?? (await packaged(root, before));
  if (found && found.path !== before?.path) note(`Chromium: ${found.way} (${found.path})`);
  return found;
}

/** @param {Record<string, string | undefined>} environment */
async function given(environment) {
  const path = environment['CHROME_PATH'];
  if (!path) return undefined;
  if (await isExecutable(path)) return { way: 'CHROME_PATH', path };
  throw new SetupError(
    `CHROME_PATH names ${path}, which is not an executable file: correct it or unset it.`,
  );
}

/** @param {Record<string, string | undefined>} environment */
async function installed(environment) {
  const [path] = await executablesOnPath(environment, NAMES);
  if (path) return { way: 'an installed one', path };
  return (await isExecutable(MAC_CHROME))
    ? { way: 'an installed one', path: MAC_CHROME }
    : undefined;
}

/** @param {string} root @param {Chromium | undefined} before */
async function packaged(root, before) {
  // The package has a program for this platform only.
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const manifest = await readFile(join(root, ...PACKAGE, 'package.json'), 'utf8');
  const { version } = /** @type {{ version: string }} */ (JSON.parse(manifest));
  const folder = join(cacheDir(), `chromium-${version}`);
  const path = join(folder, 'chromium');
  if (!(await isExecutable(path))) {
    await step('unpacking Chromium into the cache', () => unpack(join(root, ...PACKAGE), folder));
  }
  if (before?.path === path) return before;
  return withLibraries(path, join(folder, 'lib'));
}

/** @param {string} packageDir @param {string} folder */
async function unpack(packageDir, folder) {
  await putIntoCache(folder, async (scratch) => {
    const made = join(scratch, 'chromium');
    await mkdir(made);
    await decompress(join(packageDir, 'bin', 'chromium.br'), join(made, 'chromium'));
    await chmod(join(made, 'chromium'), 0o755);
    const libraries = join(made, 'libraries.tar');
    await decompress(join(packageDir, 'bin', 'al2023.tar.br'), libraries);
    await run('tar', ['-xf', libraries, '-C', made], { timeoutMs: TIMEOUT_MS });
    await rm(libraries);
    return made;
  });
}

/** @param {string} from @param {string} to */
async function decompress(from, to) {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

/**
 * Slim images lack a few shared libraries, which the package contains; libraries of the system are
 * tried first.
 * @param {string} path
 * @param {string} libraries
 */
async function withLibraries(path, libraries) {
  const way = 'of the npm package @sparticuz/chromium';
  const runs = (/** @type {Record<string, string>} */ env) =>
    run(path, ['--version'], { timeoutMs: TIMEOUT_MS, env }).then(
      () => true,
      () => false,
    );
  if (await runs({})) return { way, path };
  if (await runs({ LD_LIBRARY_PATH: libraries })) return { way, path, libraries };
  note(`Chromium: ${path} does not run here; set CHROME_PATH to one that does`);
  return undefined;
}
