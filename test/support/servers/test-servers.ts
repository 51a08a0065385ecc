// The servers of one test run: a temporary Postgres with a migrated template database, and a
// Temporal dev server in memory.
import { join } from 'node:path';
import { freePorts } from '../../../src/dev/stack/ports';
import { databaseUrl, postgresPart } from '../../../src/dev/stack/postgres';
import { Supervisor } from '../../../src/dev/stack/supervisor';
import { temporalAddress, temporalPart } from '../../../src/dev/stack/temporal';
import { temporalCliOf, type Tools } from '../../../src/dev/tools';
import { migrate } from '../../../src/postgres/migrate';
import { ALWAYS_WATCHED } from '../always-watched';
import { TEMPLATE_DATABASE, urlOf, withClient } from '../database';
import { makeServerFolder, removeAbandoned } from './server-folder';

export interface TestServers {
  /** @throws StartError */
  start(options: Options): Promise<TestAddresses>;
  /** Resolves when all servers have stopped. */
  stop(): Promise<void>;
  /** Kills the servers at once, for a process that is exiting. */
  kill(): void;
}

interface TestAddresses {
  /** URL of the administrator's database. */
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** A folder for files that test files share; removed with the servers. */
  readonly folder: string;
}

const PASSWORD = 'only-on-loopback-and-gone-after-the-tests';
/**
 * The data does not survive the run, so fsync is off. A killed server still has its committed data.
 */
const SETTINGS = {
  ...{ fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  // A checkpoint of another test must not remove the log that the cost tests read.
  wal_keep_size: '1GB',
};

interface Options {
  /** A running server to use instead of a new one. */
  readonly temporalAddress: string | undefined;
}

/** Starts nothing yet, so that the caller can stop the servers of a start that fails half-way. */
export function createTestServers(): TestServers {
  const { tools, directory, remove } = makeServerFolder('test');
  const supervisor = new Supervisor({ directory });
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
  await withClient(adminUrl, (client) => client.query(`create database ${TEMPLATE_DATABASE}`));
  const url = urlOf(adminUrl, TEMPLATE_DATABASE);
  await migrate(url);
  // Most tests run no restore watch.
  await withClient(url, (client) => client.query(ALWAYS_WATCHED));
}
