// A small file system of its own for Postgres, in a file, so that it can be filled and stalled without harm to the machine.
// Only Linux' root can mount one; elsewhere Postgres lies in an ordinary folder, and its disk is never full and never stalls.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Disk = ReturnType<typeof openDisk>;

const BASE_MEGABYTES = 384;
/** A payment leaves some 10 kB in Postgres; the write-ahead log has a bound of its own. */
const MEGABYTES_PER_SECOND = 0.15;
const BYTES_PER_MEGABYTE = 1_048_576;

/** Never in this process: what touches a stalled file system waits until it is resumed. */
const run = promisify(execFile);

/** @param seconds how long payments will be made */
export function openDisk(directory: string, seconds: number) {
  const folder = folderOf(directory);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const whyNot = mount(directory, Math.ceil(BASE_MEGABYTES + seconds * MEGABYTES_PER_SECOND));
  const filler = join(folder, 'filler');
  const onlyIfMounted = (work: () => Promise<unknown>) => async () => {
    if (whyNot === undefined) await work();
  };
  return {
    /** Where Postgres may put its data. */
    folder,
    /** Why it can be neither filled nor stalled, in a sentence; undefined where it can be. */
    whyNot,
    fill: onlyIfMounted(() => fillWith(filler, folder)),
    free: onlyIfMounted(() => run('rm', ['-f', filler])),
    /** From now on every write and every fsync waits, and cannot be killed. */
    stall: onlyIfMounted(() => run('fsfreeze', ['--freeze', folder])),
    // One that is not stalled cannot be resumed.
    resume: onlyIfMounted(() => run('fsfreeze', ['--unfreeze', folder]).catch(() => undefined)),
  };
}

/** What was mounted in the folder of a run, whether that run is ours or was killed. */
export function unmountDisk(directory: string): void {
  // Only a stalled one can be resumed. Lazily: a Postgres that was just killed may still be going.
  for (const [program, option] of [
    ['fsfreeze', '--unfreeze'],
    ['umount', '--lazy'],
  ] as const) {
    try {
      execFileSync(program, [option, folderOf(directory)], { stdio: 'ignore' });
    } catch {
      // It was not stalled, or nothing is mounted there.
    }
  }
}

function folderOf(directory: string): string {
  return join(directory, 'disk');
}

function mount(directory: string, megabytes: number): string | undefined {
  if (process.platform !== 'linux') return 'only on Linux a file can be mounted and frozen here';
  const image = join(directory, 'disk.img');
  const quietly = { stdio: 'pipe' } as const;
  try {
    writeFileSync(image, '');
    truncateSync(image, megabytes * BYTES_PER_MEGABYTE);
    // No blocks are kept for root: full is full for Postgres at the same byte.
    execFileSync('mkfs.ext4', ['-q', '-m', '0', image], quietly);
    execFileSync('mount', ['-o', 'loop', image, folderOf(directory)], quietly);
    return undefined;
  } catch (error) {
    rmSync(image, { force: true });
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return `no file system can be mounted here (${said === '' ? 'mkfs.ext4 or mount failed' : said})`;
  }
}

/** All that is left at this moment. */
async function fillWith(filler: string, folder: string): Promise<void> {
  const { bavail, bsize } = statfsSync(folder);
  const bytes = String(bavail * bsize);
  // What Postgres has taken meanwhile is missing at the end: then the disk is full all the same.
  await run('fallocate', ['--length', bytes, filler]).catch(() => undefined);
}
