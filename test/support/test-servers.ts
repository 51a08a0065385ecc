// The servers of one test run: a throwaway Postgres with a migrated template database, and a Temporal dev server in
// memory. They live in one folder outside the clone that names its owner, so that a run that was killed is cleaned up by
// the next.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from '../../src/dev/ports';
import { databaseUrl, postgresPart } from '../../src/dev/postgres';
import { readJsonFile, writePrivateJson } from '../../src/dev/private-files';
import { ourIdentity } from '../../src/dev/processes';
import { isAlive, type ProcessIdentity } from '../../src/dev/processes';
import { endStaleProcesses } from '../../src/dev/processes';
import { Supervisor } from '../../src/dev/supervisor';
import { temporalAddress, temporalPart } from '../../src/dev/temporal';
import { readTools, temporalCliOf, type Tools } from '../../src/dev/tools';
import { migrate } from '../../src/postgres/migrate';
import { TEMPLATE_DATABASE, urlOf } from './database';

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

const FOLDER = 'payment-intents-test-';
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
  const tools = readTools();
  const { parent, directory, remove } = makeServerFolder(tools);
  const supervisor = new Supervisor({ directory, onLaunch: nothing, onRestart: nothing });
  return {
    async start(options) {
      await removeAbandoned(parent);
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

/** A folder for servers, owned by this process: if it is killed, the next run ends what runs in it and removes it. */
export function makeServerFolder(tools: Tools) {
  const parent = parentFolder(tools);
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, FOLDER));
  // The system user postgres must be able to pass through.
  chmodSync(directory, 0o711);
  writePrivateJson(join(directory, 'owner.json'), ourIdentity());
  const remove = () => {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  return { parent, directory, remove };
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
  await migrate(urlOf(adminUrl, TEMPLATE_DATABASE));
}

/** As root Postgres runs as another user, which may enter the cache folder and perhaps not the one for temporary files. */
function parentFolder({ postgres, cacheDir }: Tools): string {
  return postgres.user ? join(cacheDir, 'test') : tmpdir();
}

/** Folders of runs that were killed: their processes are ended first. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(FOLDER))) {
    const directory = join(parent, name);
    const owner = readJsonFile(join(directory, 'owner.json'));
    if (!isIdentity(owner) || isAlive(owner)) continue;
    await endStaleProcesses(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && 'pid' in value && 'startedAt' in value;
}

function nothing(): void {
  return;
}
