// A small file system in a file for Postgres alone, which can be filled and stalled without harm to
// the machine. Mounting it needs root on Linux. Elsewhere Postgres uses an ordinary folder, and the
// disk faults are skipped.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Disk = ReturnType<typeof openDisk>;

const BASE_MEGABYTES = 384;
/** A payment takes about 10 kB in Postgres; the write-ahead log has its own limit. */
const MEGABYTES_PER_SECOND = 0.15;
const BYTES_PER_MEGABYTE = 1_048_576;

/** Always in a child process: any access to a stalled file system blocks until it is resumed. */
const run = promisify(execFile);
/** $0: the folder; $1: seconds. */
const STALL = 'fsfreeze --freeze "$0" && sleep "$1"; fsfreeze --unfreeze "$0"';

/** @param seconds duration of the load, which decides the size */
export function openDisk(directory: string, seconds: number) {
  const folder = folderOf(directory);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const whyNot = mount(directory, Math.ceil(BASE_MEGABYTES + seconds * MEGABYTES_PER_SECOND));
  const filler = join(folder, 'filler');
  const onlyIfMounted =
    <Arguments extends readonly unknown[]>(work: (...given: Arguments) => Promise<unknown>) =>
    async (...given: Arguments) => {
      if (whyNot === undefined) await work(...given);
    };
  return {
    /** For the data of Postgres. */
    folder,
    /** Why the disk faults cannot be injected, as a sentence; undefined when they can. */
    whyNot,
    fill: onlyIfMounted(() => fillWith(filler, folder)),
    free: onlyIfMounted(() => run('rm', ['-f', filler])),
    /**
     * Every write and fsync blocks for this time, and cannot be killed. One child process freezes
     * and resumes: this process may block itself, when it restarts Postgres meanwhile.
     */
    stall: onlyIfMounted((lastsMs: number) =>
      run('sh', ['-c', STALL, folder, String(lastsMs / 1_000)]),
    ),
    // Fails when the file system is not stalled, which is fine.
    resume: onlyIfMounted(() => run('fsfreeze', ['--unfreeze', folder]).catch(() => undefined)),
  };
}

/** Unmounts the disk in the folder of a run: our own, or an earlier one that was killed. */
export function unmountDisk(directory: string): void {
  // A lazy unmount, because a Postgres that was just killed may still be exiting.
  for (const [program, option] of [
    ['fsfreeze', '--unfreeze'],
    ['umount', '--lazy'],
  ] as const) {
    try {
      execFileSync(program, [option, folderOf(directory)], { stdio: 'ignore' });
    } catch {
      // The disk was not stalled, or is not mounted.
    }
  }
}

function folderOf(directory: string): string {
  return join(directory, 'disk');
}

function mount(directory: string, megabytes: number): string | undefined {
  if (process.platform !== 'linux')
    return 'only Linux can mount and freeze a file system in a file';
  const image = join(directory, 'disk.img');
  const quietly = { stdio: 'pipe' } as const;
  try {
    writeFileSync(image, '');
    truncateSync(image, megabytes * BYTES_PER_MEGABYTE);
    // No blocks reserved for root: the disk is full for Postgres at the same byte.
    execFileSync('mkfs.ext4', ['-q', '-m', '0', image], quietly);
    execFileSync('mount', ['-o', 'loop', image, folderOf(directory)], quietly);
    return undefined;
  } catch (error) {
    rmSync(image, { force: true });
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return `no file system can be mounted here (${said === '' ? 'mkfs.ext4 or mount failed' : said})`;
  }
}

/** Allocates all free space. */
async function fillWith(filler: string, folder: string): Promise<void> {
  const { bavail, bsize } = statfsSync(folder);
  const bytes = String(bavail * bsize);
  // Fails when Postgres took space meanwhile: fallocate has then filled the disk anyway.
  await run('fallocate', ['--length', bytes, filler]).catch(() => undefined);
}
