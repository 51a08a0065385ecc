// Builds the real Temporal server and its schema tool with Go, because no package contains them.
// The cache folder of setup.mjs stores them, so that a machine builds them once. Only `npm run
// bench:scale` needs them.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../../src/dev/stack/start-error';
import { COMMON } from '../environments';

const TEMPORAL_SERVER_VERSION = '1.29.1';

export interface ServerPrograms {
  readonly server: string;
  readonly schema: string;
}

const BUILD_TIMEOUT_MS = 25 * 60_000;
const MODULE = 'go.temporal.io/server';
const execute = promisify(execFile);

/** @throws StartError when the build fails */
export async function serverPrograms(
  cacheDir: string,
  printProgress: (text: string) => void,
): Promise<ServerPrograms> {
  const folder = join(cacheDir, `temporal-server-${TEMPORAL_SERVER_VERSION}`);
  if (!existsSync(folder)) {
    printProgress(
      `building the Temporal server ${TEMPORAL_SERVER_VERSION} with Go, once: some minutes`,
    );
    await build(folder);
  }
  return { server: join(folder, 'server'), schema: join(folder, 'sql') };
}

/**
 * Builds under another name and renames the folder, so that a failed build leaves no partial one.
 */
async function build(folder: string): Promise<void> {
  const scratch = `${folder}.part`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const packages = ['cmd/server', 'cmd/tools/sql'].map(
    (path) => `${MODULE}/${path}@v${TEMPORAL_SERVER_VERSION}`,
  );
  const env = { ...process.env, ...COMMON, GOBIN: scratch };
  try {
    await execute('go', ['install', ...packages], { env, timeout: BUILD_TIMEOUT_MS });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `The Temporal server cannot be built here, which needs Go 1.24 or later and its module proxy: ${why}`,
    );
  }
  renameSync(scratch, folder);
}
