// A small file system of its own for Postgres, so that it can be filled without harm to the machine. Only Linux' root can
// mount one; elsewhere Postgres lies in an ordinary folder, and its disk is never full.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Disk {
  /** Where Postgres may put its data. */
  readonly folder: string;
  /** Why it cannot be filled, in a sentence; undefined where it can be. */
  readonly whyNot: string | undefined;
  fill(): Promise<void>;
  free(): void;
}

const BASE_MEGABYTES = 384;
/** A payment leaves some 10 kB in Postgres; the write-ahead log has a bound of its own. */
const MEGABYTES_PER_SECOND = 0.15;

/** @param seconds how long payments will be made */
export function openDisk(directory: string, seconds: number): Disk {
  const folder = join(directory, 'disk');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const whyNot = mount(folder, Math.ceil(BASE_MEGABYTES + seconds * MEGABYTES_PER_SECOND));
  const filler = join(folder, 'filler');
  return {
    folder,
    whyNot,
    async fill() {
      if (whyNot === undefined) await fillWith(filler, folder);
    },
    free() {
      rmSync(filler, { force: true });
    },
  };
}

/** What was mounted in the folder of a run, whether that run is ours or was killed. */
export function unmountDisk(directory: string): void {
  try {
    // Lazily: a Postgres that was just killed may still be going.
    execFileSync('umount', ['--lazy', join(directory, 'disk')], { stdio: 'ignore' });
  } catch {
    // Nothing is mounted there.
  }
}

function mount(folder: string, megabytes: number): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has a tmpfs to fill';
  try {
    const options = `size=${String(megabytes)}m,mode=0755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'payment-intents-chaos', folder], {
      stdio: 'pipe',
    });
    return undefined;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return `no file system can be mounted here (${said === '' ? 'mount failed' : said})`;
  }
}

/** All that is left at this moment. Elsewhere, since zeroing so much memory would hold up the proxies. */
async function fillWith(filler: string, folder: string): Promise<void> {
  const { bavail, bsize } = statfsSync(folder);
  const bytes = String(bavail * bsize);
  // What Postgres has taken meanwhile is missing at the end: then the disk is full all the same.
  await promisify(execFile)('fallocate', ['--length', bytes, filler]).catch(() => undefined);
}
