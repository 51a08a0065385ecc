// The real Temporal server and the tool that makes its schema, built with Go: they come in no package. Kept in the cache folder
// of setup.mjs, so that a machine builds them once. Nothing but `npm run bench:scale` needs them.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../../src/dev/stack/start-error';
import { COMMON } from '../environments';

export const TEMPORAL_SERVER_VERSION = '1.29.1';

export interface ServerPrograms {
  readonly server: string;
  readonly schema: string;
}

const BUILD_TIMEOUT_MS = 25 * 60_000;
const MODULE = 'go.temporal.io/server';
const execute = promisify(execFile);

/** @throws StartError when it has to be built and cannot be */
export async function serverPrograms(
  cacheDir: string,
  tell: (text: string) => void,
): Promise<ServerPrograms> {
  const folder = join(cacheDir, `temporal-server-${TEMPORAL_SERVER_VERSION}`);
  if (!existsSync(folder)) {
    tell(`building the Temporal server ${TEMPORAL_SERVER_VERSION} with Go, once: some minutes`);
    await build(folder);
  }
  return { server: join(folder, 'server'), schema: join(folder, 'sql') };
}

/** Made under another name and renamed, so that a build that dies leaves no half folder. */
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
