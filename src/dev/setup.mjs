// Sets up a fresh clone or packed sandbox: packages, the Temporal servers, Postgres. It runs before
// any package is installed, so it uses Node only. `--test` also sets up the time-skipping test
// server and a browser. tools.ts reads the result.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir, exists } from './setup/cache.mjs';
import { findChromium } from './setup/chromium.mjs';
import { installPackages } from './setup/packages.mjs';
import { TEMPORAL_CLI, TEMPORAL_TEST_SERVER } from './setup/pins.mjs';
import { findPostgres } from './setup/postgres.mjs';
import { SetupError, complain } from './setup/progress.mjs';
import { findTool } from './setup/temporal.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const toolsFile = join(root, 'node_modules', '.payment-intents', 'tools.json');

try {
  demandNode(process.versions.node);
  demandPlatform();
  // npm has installed the packages of the packed sandbox (decision 142), which has no lock file.
  if (await exists(join(root, 'src', 'dev', 'start.ts'))) await installPackages(root);
  await findTools(process.argv.includes('--test'));
} catch (error) {
  if (error instanceof SetupError) complain(error.message);
  else complain(`The setup failed: ${describe(error)}`);
  process.exitCode = 1;
}

/** @param {string} version */
function demandNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
  if (isSupported) return;
  throw new SetupError(
    `This needs Node 20.19 or later, 22.13 or later, or 24 or later, and this is ${version}: install one of those and start again.`,
  );
}

function demandPlatform() {
  if (process.platform !== 'win32') return;
  throw new SetupError('This does not run on Windows itself: run it inside WSL.');
}

/** @param {boolean} isForTests */
async function findTools(isForTests) {
  const before = await readTools();
  const environment = process.env;
  // Tests must not share a server with the worker of a system in use, so they use a running server
  // only by its own variable.
  const running = environment[isForTests ? 'TEST_TEMPORAL_ADDRESS' : 'TEMPORAL_ADDRESS'];
  const postgres = await findPostgres(root, before.postgres);
  const temporal = running
    ? undefined
    : await findTool(TEMPORAL_CLI, { root, environment, before: before.temporal });
  const testServer = isForTests
    ? await findTool(TEMPORAL_TEST_SERVER, { root, environment, before: before.testServer })
    : undefined;
  const chromium = isForTests ? await findChromium(root, environment, before.chromium) : undefined;
  // Read again: a setup for the tests may have run at the same time and found tools that this one
  // does not search for.
  const other = await readTools();
  await writeTools({
    cacheDir: cacheDir(),
    postgres,
    temporal: temporal ?? other.temporal,
    testServer: testServer ?? other.testServer,
    chromium: isForTests ? chromium : other.chromium,
  });
}

async function readTools() {
  try {
    return JSON.parse(await readFile(toolsFile, 'utf8'));
  } catch {
    return {};
  }
}

/** @param {object} tools */
async function writeTools(tools) {
  const scratch = `${toolsFile}.${process.pid}`;
  await mkdir(dirname(toolsFile), { recursive: true });
  await writeFile(scratch, `${JSON.stringify(tools, null, 2)}\n`);
  await rename(scratch, toolsFile);
}

/** @param {unknown} error */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const isDenied = 'code' in error && (error.code === 'EACCES' || error.code === 'EROFS');
  const advice = `set PAYMENT_INTENTS_CACHE_DIR to a folder that you may write to`;
  return `${error.message}${isDenied ? `: ${advice}` : ''}.`;
}
