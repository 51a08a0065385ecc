// A copy of the data of Postgres, which replaces the data at the next start.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Snapshot = ReturnType<typeof createSnapshot>;

const run = promisify(execFile);
const COPY = 'rm -rf "$1" && cp -a "$0" "$1" && rm -f "$1/postmaster.pid"';

/** @param directory outside the disk of Postgres, which is small */
export function createSnapshot(dataDir: string, directory: string) {
  const copy = join(directory, 'postgres-snapshot');
  let isWanted = false;
  return {
    /** The processes of Postgres must be frozen. */
    take: () => run('sh', ['-c', COPY, dataDir, copy]),
    putBackAtNextStart() {
      isWanted = true;
    },
    /** Called before each start of Postgres. */
    async putBackIfWanted() {
      if (isWanted) await run('sh', ['-c', COPY, copy, dataDir]);
      isWanted = false;
    },
  };
}
