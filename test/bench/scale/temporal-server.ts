// A Temporal server with its own Postgres cluster, like production, but with all four services in
// one process on one host.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Part } from '../../../src/dev/stack/supervisor';
import { freePorts } from '../../../src/dev/stack/ports';
import { databaseUrl, postgresPart } from '../../../src/dev/stack/postgres';
import type { Client } from '@temporalio/client';
import { until } from '../../../src/dev/until';
import { connectTemporal } from '../../../src/temporal/connection';
import { registerNamespace } from '../../../src/temporal/namespace';
import { AUTHORITY_FILE, CLIENT_FILE, SERVER_FILE } from '../../support/servers/hosted-temporal';
import { COMMON, temporalTarget, type TemporalTarget } from '../environments';
import type { Stage } from '../stage';
import type { ServerPrograms } from './server-program';

interface ServerOptions {
  readonly programs: ServerPrograms;
  /** Whether clients need a certificate. */
  readonly isMutual: boolean;
}

export interface TemporalOnPostgres extends TemporalTarget {
  /** The database that holds its executions. */
  readonly databaseUrl: string;
}

const NAMESPACE = 'default';
const STORE = 'temporal';
const VISIBILITY = 'temporal_visibility';
/**
 * The default of the server is 4. Production uses hundreds, because the number can never change.
 */
export const HISTORY_SHARDS = 64;
export const TEMPORAL_CONNECTIONS = 40;
const PASSWORD = 'only-on-loopback-and-gone-after-the-bench';
const NAMESPACE_TRIES = 60;
const SCHEMA_TIMEOUT_MS = 60_000;
const SERVING_WITHIN_MS = 60_000;
const execute = promisify(execFile);

export async function startTemporalServer(
  { tools, directory, supervisor }: Stage,
  { programs, isMutual }: ServerOptions,
): Promise<TemporalOnPostgres> {
  // Ports must be below 32768: the Temporal server stores them in a signed column of 16 bits.
  const [postgresPort = 0, ...ports] = await freePorts(9);
  const dataDir = join(directory, 'postgres-temporal');
  const settings = { max_connections: String(3 * TEMPORAL_CONNECTIONS) };
  const cluster = {
    ...{ programs: tools.postgres, dataDir, port: postgresPort, password: PASSWORD },
    settings,
  };
  await supervisor.start({ ...postgresPart(cluster), name: 'postgres-temporal' });
  const url = new URL(databaseUrl(cluster));
  await makeSchema(programs, url);
  const configDir = join(directory, 'temporal-config');
  mkdirSync(configDir, { recursive: true });
  const dynamicConfig = join(configDir, 'dynamic.yaml');
  // The server reads YAML, and JSON is valid YAML.
  writeFileSync(
    dynamicConfig,
    JSON.stringify({ 'system.enableActivityEagerExecution': [{ value: true }] }),
  );
  writeFileSync(
    join(configDir, 'development.yaml'),
    JSON.stringify(configOf(url, { ports, dynamicConfig, isMutual })),
  );
  const target = temporalTarget({
    TEMPORAL_ADDRESS: `127.0.0.1:${String(ports[0] ?? 0)}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    ...(isMutual && MUTUAL_CLIENT),
  });
  const client = connectTemporal(target);
  await supervisor.start(serverPart(programs, { client, configDir }));
  await makeNamespace(client);
  await client.connection.close();
  url.pathname = `/${STORE}`;
  return { ...target, databaseUrl: url.href };
}

const MEMBERSHIP = { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' };

/** Clients of the frontend, the server's own worker among them, need a certificate. */
const CLIENT_TLS = { serverName: 'localhost', rootCaFiles: [AUTHORITY_FILE] };
const MUTUAL_TLS = {
  frontend: {
    server: {
      ...{ certFile: SERVER_FILE, keyFile: SERVER_FILE },
      ...{ requireClientAuth: true, clientCaFiles: [AUTHORITY_FILE] },
    },
    client: CLIENT_TLS,
  },
  systemWorker: { certFile: CLIENT_FILE, keyFile: CLIENT_FILE, client: CLIENT_TLS },
};
const MUTUAL_CLIENT = {
  TEMPORAL_TLS_CLIENT_CERT_PATH: CLIENT_FILE,
  TEMPORAL_TLS_CLIENT_KEY_PATH: CLIENT_FILE,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE,
};

async function makeSchema({ schema }: ServerPrograms, { port, username }: URL): Promise<void> {
  const place = ['--plugin', 'postgres12', '--endpoint', '127.0.0.1', '--port', port];
  const login = ['--user', username, '--password', PASSWORD];
  const parts = { [STORE]: 'temporal', [VISIBILITY]: 'visibility' };
  for (const [database, name] of Object.entries(parts)) {
    const run = (...command: readonly string[]) =>
      execute(schema, [...place, ...login, '--database', database, ...command], {
        env: COMMON,
        timeout: SCHEMA_TIMEOUT_MS,
      });
    await run('create-database');
    await run('setup-schema', '--version', '0.0');
    await run('update-schema', '--schema-name', `postgresql/v12/${name}`);
  }
}

/** The server's own development configuration, with more shards and connections. */
interface ConfigOptions {
  readonly ports: readonly number[];
  readonly dynamicConfig: string;
  readonly isMutual: boolean;
}

function configOf({ port, username }: URL, { ports, dynamicConfig, isMutual }: ConfigOptions) {
  const store = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user: username,
      password: PASSWORD,
      maxConns: TEMPORAL_CONNECTIONS,
      maxIdleConns: TEMPORAL_CONNECTIONS,
    },
  });
  const service = (nth: number) => ({
    rpc: { grpcPort: ports[2 * nth], membershipPort: ports[2 * nth + 1], bindOnLocalHost: true },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { store: store(STORE), visibility: store(VISIBILITY) },
    },
    global: { membership: MEMBERSHIP, ...(isMutual && { tls: MUTUAL_TLS }) },
    services: {
      frontend: service(0),
      matching: service(1),
      history: service(2),
      worker: service(3),
    },
    clusterMetadata: {
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${String(ports[0] ?? 0)}`,
        },
      },
    },
    publicClient: { hostPort: `127.0.0.1:${String(ports[0] ?? 0)}` },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  };
}

function serverPart(
  { server }: ServerPrograms,
  { client, configDir }: { readonly client: Client; readonly configDir: string },
): Part {
  return {
    name: 'temporal',
    prepare: () =>
      Promise.resolve({
        program: server,
        args: ['--root', configDir, '--config', '.', '--allow-no-auth', 'start'],
        env: COMMON,
        cwd: configDir,
      }),
    isReady: () =>
      client.workflowService.getSystemInfo({}).then(
        () => true,
        () => false,
      ),
  };
}

/**
 * Waits until the server serves the namespace: its services learn of it only after some seconds.
 */
async function makeNamespace(client: Client): Promise<void> {
  await registerNamespace(client, NAMESPACE, NAMESPACE_TRIES);
  const isKnown = () =>
    client.workflow.count('NeedsAttention = true').then(
      () => true,
      () => false,
    );
  if (!(await until(isKnown, { timeoutMs: SERVING_WITHIN_MS }))) {
    throw new Error('the Temporal server does not know its namespace after a minute');
  }
}
