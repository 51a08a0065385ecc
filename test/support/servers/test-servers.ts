// The servers of one test run: a throwaway Postgres with a migrated template database, and a Temporal dev server in
// memory.
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from '../../../src/dev/stack/ports';
import { databaseUrl, postgresPart } from '../../../src/dev/stack/postgres';
import { Supervisor } from '../../../src/dev/stack/supervisor';
import { temporalAddress, temporalPart } from '../../../src/dev/stack/temporal';
import { temporalCliOf, type Tools } from '../../../src/dev/tools';
import { migrate } from '../../../src/postgres/migrate';
import { ALWAYS_WATCHED } from '../always-watched';
import { TEMPLATE_DATABASE, urlOf } from '../database';
import { makeServerFolder, removeAbandoned } from './server-folder';

export interface TestServers {
  /** @throws StartError */
  start(options: Options): Promise<TestAddresses>;
  /** Comes back when all are gone. */
  stop(): Promise<void>;
  /** At once, for a process that is ending. */
  kill(): void;
}

export interface TestAddresses {
  /** Of the administrator's database. */
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** For what one test file makes and others use; removed with the servers. */
  readonly folder: string;
}

const PASSWORD = 'only-on-loopback-and-gone-after-the-tests';
/** Nothing of this survives the run, so nothing has to reach the disk. A killed server still keeps what it committed. */
const SETTINGS = {
  ...{ fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  // What the tests of cost read of the log must not go with a checkpoint that others bring about.
  wal_keep_size: '1GB',
};

interface Options {
  /** A server that runs already, to be used instead of our own. */
  readonly temporalAddress: string | undefined;
}

/** Nothing runs yet, so that whoever holds this can stop what a failing start leaves half-way. */
export function createTestServers(): TestServers {
  const { tools, directory, remove } = makeServerFolder('test');
  const supervisor = new Supervisor({ directory, onLaunch: nothing, onRestart: nothing });
  return {
    async start(options) {
      await removeAbandoned('test');
      return startBoth({ tools, directory, supervisor, ...options });
    },
    async stop() {
      await supervisor.stop();
      remove();
    },
    kill() {
      supervisor.kill();
      remove();
    },
  };
}

interface Starting extends Options {
  readonly tools: Tools;
  readonly directory: string;
  readonly supervisor: Supervisor;
}

async function startBoth(starting: Starting): Promise<TestAddresses> {
  const { tools, directory, supervisor, ...options } = starting;
  const [postgresPort = 0, temporalPort = 0] = await freePorts(2);
  const cluster = {
    programs: tools.postgres,
    dataDir: join(directory, 'postgres'),
    port: postgresPort,
    password: PASSWORD,
    settings: SETTINGS,
  };
  const url = databaseUrl(cluster);
  const startPostgres = supervisor.start(postgresPart(cluster)).then(() => makeTemplate(url));
  if (options.temporalAddress !== undefined) {
    await startPostgres;
    return { databaseUrl: url, temporalAddress: options.temporalAddress, folder: directory };
  }
  const server = { cli: temporalCliOf(tools), port: temporalPort, cwd: directory };
  await Promise.all([startPostgres, supervisor.start(temporalPart(server))]);
  return { databaseUrl: url, temporalAddress: temporalAddress(server), folder: directory };
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const client = new Client(adminUrl);
  await client.connect();
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.end();
  const url = urlOf(adminUrl, TEMPLATE_DATABASE);
  await migrate(url);
  // Most tests run no watch over restores.
  const template = new Client(url);
  await template.connect();
  await template.query(ALWAYS_WATCHED);
  await template.end();
}

function nothing(): void {
  return;
}
