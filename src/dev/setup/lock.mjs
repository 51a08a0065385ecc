// A lock, so that one setup at a time installs into a clone. The owner touches the lock file every
// second, so that the lock of a killed setup goes stale by itself, whatever process has its pid by
// then.
import { mkdir, open, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupError } from './progress.mjs';

const HEARTBEAT_MS = 1_000;
const STALE_MS = 10_000;
const WAIT_MAX_MS = 15 * 60_000;

/**
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  await mkdir(dirname(file), { recursive: true });
  await takeLock(file);
  const heartbeat = setInterval(() => void touch(file), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

/** @param {string} file */
async function takeLock(file) {
  const deadline = Date.now() + WAIT_MAX_MS;
  while (Date.now() < deadline) {
    try {
      await (await open(file, 'wx')).close();
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STALE_MS) await rm(file, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new SetupError(`Another setup holds ${file}; end it, or delete that file, and try again.`);
}

/** @param {string} file */
async function touch(file) {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
}
