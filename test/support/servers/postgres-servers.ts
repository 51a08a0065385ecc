// Separate Postgres servers of a test, which can be stopped, killed, copied and promoted, as
// operators do with real ones.
import { execFile } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePorts } from '../../../src/dev/stack/ports';
import { databaseUrl, postgresPart } from '../../../src/dev/stack/postgres';
import { Supervisor } from '../../../src/dev/stack/supervisor';
import { until } from '../../../src/dev/until';
import { migrate } from '../../../src/postgres/migrate';
import { freezeProcesses } from '../../chaos/faults/frozen';
import { makeServerFolder } from './server-folder';

export interface PostgresServer {
  readonly url: string;
  readonly dataDir: string;
  /** Resolves when the server accepts connections, also as a standby. */
  start(): Promise<void>;
  /** An orderly stop: a following standby first receives everything. */
  stop(): Promise<void>;
  /** Kills the server by SIGKILL. */
  kill(): Promise<void>;
  /** Copies the data of the running server, whose processes are stopped meanwhile. */
  snapshot(): Promise<void>;
  /** Kills the server, puts the snapshot back and starts it. */
  putBack(): Promise<void>;
  query<Row extends object>(text: string): Promise<Row[]>;
}

export interface PostgresServers {
  /** Adds a server without starting it. Its first start creates the cluster. */
  add(): Promise<PostgresServer>;
  close(): Promise<void>;
}

const PASSWORD = 'only-on-loopback-and-gone-after-the-test';
const READY = { timeoutMs: 60_000 };
const execute = promisify(execFile);

export function openPostgresServers(): PostgresServers {
  const { tools, directory, remove } = makeServerFolder('test');
  const servers: PostgresServer[] = [];
  return {
    async add() {
      const [port = 0] = await freePorts(1);
      const folder = join(directory, String(servers.length));
      const dataDir = `${folder}-data`;
      // Only programs are killed, not machines: written data survives without fsync.
      const settings = { fsync: 'off' };
      const cluster = { programs: tools.postgres, dataDir, port, password: PASSWORD, settings };
      const server = serverOf(folder, postgresPart(cluster), {
        dataDir,
        url: databaseUrl(cluster),
      });
      servers.push(server);
      return server;
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()));
      remove();
    },
  };
}

type Part = ReturnType<typeof postgresPart>;

function serverOf(
  directory: string,
  part: Part,
  place: Pick<PostgresServer, 'url' | 'dataDir'>,
): PostgresServer {
  let supervisor: Supervisor | undefined;
  const query = async <Row extends object>(text: string) => {
    const client = new Client(place.url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const answers = () =>
    query('select').then(
      () => true,
      () => false,
    );
  const start = async () => {
    supervisor = new Supervisor({ directory });
    await supervisor.start({ ...part, isReady: answers });
  };
  const kill = async () => {
    supervisor?.kill();
    if (!(await until(async () => !(await answers()), READY)))
      throw new Error('the server still answers after the kill');
    await supervisor?.stop();
  };
  const copy = `${place.dataDir}-snapshot`;
  return {
    ...place,
    ...{ query, start, kill },
    stop: async () => supervisor?.stop(),
    async snapshot() {
      const thaw = await freezeProcesses((supervisor?.running() ?? []).map(({ pid }) => pid));
      await copyFiles(place.dataDir, copy).finally(thaw);
    },
    async putBack() {
      await kill();
      await copyFiles(copy, place.dataDir);
      await start();
    },
  };
}

/**
 * Waits until the connection of the migration is closed too, for which `migrate` does not wait. A
 * server that stops earlier would cause an unhandled connection error.
 */
async function migrateAlone(server: PostgresServer): Promise<void> {
  await migrate(server.url);
  const areOthersGone = async () => {
    const others = await server.query(
      `select from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return others.length === 0;
  };
  if (!(await until(areOthersGone, READY))) throw new Error('another client is still connected');
}

/** Replaces the target folder by a copy. Neither server may write meanwhile. */
export async function copyFiles(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  await execute('cp', ['-a', from, to]);
}

/** Makes a standby from a stopped primary. It follows the primary once both are started. */
async function makeStandby(standby: PostgresServer, primary: PostgresServer): Promise<void> {
  await copyFiles(primary.dataDir, standby.dataDir);
  const { hostname, port, username, password } = new URL(primary.url);
  const address = `host=${hostname} port=${port} user=${username} password=${password}`;
  writeFileSync(join(standby.dataDir, 'standby.signal'), '');
  const settings = join(standby.dataDir, 'postgresql.auto.conf');
  appendFileSync(settings, `primary_conninfo = '${address}'\n`);
}

/** A migrated primary and a standby that follows it. `close` ends both. */
export async function startPair() {
  const servers = openPostgresServers();
  const [primary, standby] = [await servers.add(), await servers.add()];
  await primary.start();
  await migrateAlone(primary);
  await primary.stop();
  await makeStandby(standby, primary);
  await Promise.all([primary.start(), standby.start()]);
  return { primary, standby, close: () => servers.close() };
}

/** Resolves when the standby receives nothing from its primary any more. */
export async function cutOff(standby: PostgresServer): Promise<void> {
  await standby.query(`alter system set primary_conninfo = ''`);
  await standby.query('select pg_reload_conf()');
  const isCutOff = async () =>
    (await standby.query('select from pg_stat_wal_receiver')).length === 0;
  if (!(await until(isCutOff, READY))) throw new Error('the standby still follows');
}

/** Resolves when the standby accepts writes. */
export async function promote(standby: PostgresServer): Promise<void> {
  await standby.query('select pg_promote()');
}

/** Resolves when the standby has replayed the current commits of the primary. */
export async function untilCaughtUp(
  standby: PostgresServer,
  primary: PostgresServer,
): Promise<void> {
  const [position] = await primary.query<{ readonly lsn: string }>(
    'select pg_current_wal_flush_lsn()::text as lsn',
  );
  const isThere = async () => {
    const [row] = await standby.query<{ readonly is_there: boolean }>(
      `select pg_last_wal_replay_lsn() >= '${position?.lsn ?? ''}' as is_there`,
    );
    return row?.is_there === true;
  };
  if (!(await until(isThere, READY))) throw new Error('the standby does not catch up');
}
