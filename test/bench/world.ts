// Starts the real processes of the product over a Postgres and a Temporal server with the settings
// of `npm start`, and the reference programs. Everything listens on free ports of the loopback.
import { join } from 'node:path';
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import { ownPart } from '../../src/dev/stack/own-process';
import type { Part } from '../../src/dev/stack/supervisor';
import { freePorts } from '../../src/dev/stack/ports';
import { databaseUrl, postgresPart } from '../../src/dev/stack/postgres';
import { TEMPORAL_NAMESPACE, temporalAddress, temporalPart } from '../../src/dev/stack/temporal';
import { temporalCliOf } from '../../src/dev/tools';
import { workflowBundle } from '../../src/dev/package/workflow-bundle';
import { createDatabase, type Database } from '../../src/postgres/database';
import { migrate } from '../../src/postgres/migrate';
import { recordEnvironment } from '../../src/postgres/service-environment';
import { createSecretSeal, type SecretSeal } from '../../src/signing/sealed-secret';
import { ENVIRONMENT, KEY_ENCRYPTION_KEY } from '../support/builders';
import { compiledFrom, compileOnce } from './compiled';
import { readCpuTimes, type CpuTimes } from './figures/cpu-times';
import {
  COMMON,
  productEnvironment,
  temporalTarget,
  type TemporalTarget,
  type ServiceAddresses,
} from './environments';
import { startLoad, type Load } from './load/load';
import { openPartners, type Onboard } from './load/partners';
import type { Stage } from './stage';

export interface World {
  /** One connection, to prepare rows before a measurement and to count them after it. */
  readonly database: Database;
  readonly databaseUrl: string;
  readonly seal: SecretSeal;
  readonly load: Load;
  /** Onboards a partner and serves its key set. Its network is the loopback by default. */
  readonly onboard: Onboard;
  /** Creates a migrated database in the same cluster. @returns its address */
  makeDatabase(name: string): Promise<string>;
  /** The dev server with the settings of `npm start`, or a real one. The first call starts it. */
  temporal(): Promise<TemporalTarget>;
  /** A provider and webhook endpoints that answer at once. The first call starts them. */
  endpoints(): Promise<string>;
  /** Uses a closed port as Temporal address by default. @returns the port of the API */
  startApi(where?: Partial<ServiceAddresses>): Promise<number>;
  /** Returns when the worker takes tasks. */
  startWorker(temporal: TemporalTarget, where?: Partial<ServiceAddresses>): Promise<void>;
  /**
   * @param script in test/bench/reference; it listens on PORT and prints when it is ready
   * @returns its port
   */
  startReference(script: string, env?: Readonly<Record<string, string>>): Promise<number>;
  /** CPU times of every process that was started here, except the load process. */
  cpuTimes(): CpuTimes;
  /** Registers a function that runs when the world closes. */
  atTheEnd(close: () => unknown): void;
  close(): Promise<void>;
}

interface WorldOptions {
  /** The folder for the CPU profiles that API and worker write on exit. */
  readonly profileDir: string | undefined;
  /** Starts another Temporal server than the dev server. */
  readonly startTemporal?: ((stage: Stage) => Promise<TemporalTarget>) | undefined;
}

/** Part of the report's settings. */
export const WORLD_SETTINGS = {
  processes:
    'src/main/api.ts and worker.ts compiled as by npm run build, defaults of docs/configuration.md, their logs into files',
  postgres: 'embedded, defaults, data on disk',
  temporal:
    'a dev server in memory with the settings of `npm start`; none, a closed port, where only rejections and reads are measured',
  load: 'one process of its own, keep-alive connections, requests prepared beforehand',
};

const PASSWORD = 'only-on-loopback-and-gone-after-the-bench';

/** @throws StartError. The stage then stops the processes that are already started. */
export async function createWorld(stage: Stage, options: WorldOptions): Promise<World> {
  const { supervisor, directory } = stage;
  await compileOnce();
  const url = await startPostgres(stage);
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const seal = createSecretSeal(KEY_ENCRYPTION_KEY);
  const load = startLoad();
  const partners = await openPartners({ database, seal });
  const closings: (() => unknown)[] = [() => database.close(), load.close, partners.close];
  const startPart = createStarter(stage, options);
  const checkoutDir = join(directory, 'checkout');
  writeCheckout(checkoutDir, await bundleCheckout());
  const startReference: World['startReference'] = (script, env = {}) =>
    startPart(script, `test/bench/reference/${script}`, { ...COMMON, ...env });
  return {
    ...{ database, databaseUrl: url, seal, load, onboard: partners.onboard },
    makeDatabase: (name) => makeDatabase(database, url, name),
    temporal: once(() => (options.startTemporal ?? startDevServer)(stage)),
    endpoints: once(async () => {
      return `http://127.0.0.1:${await startReference('instant-endpoints.ts')}`;
    }),
    startApi: (where = {}) => {
      const env = productEnvironment({ databaseUrl: url, ...where });
      return startPart('api', 'src/main/api.ts', { ...env, CHECKOUT_DIR: checkoutDir });
    },
    async startWorker(temporal, where = {}) {
      const context = { env: COMMON, directory, stopping: supervisor.stopping };
      const env = productEnvironment({ databaseUrl: url, ...where, temporal });
      const bundle = { WORKFLOW_BUNDLE: await workflowBundle(context) };
      await startPart('worker', 'src/main/worker.ts', { ...env, ...bundle });
    },
    startReference,
    cpuTimes: () => readCpuTimes(supervisor.running()),
    atTheEnd: (close) => closings.push(close),
    async close() {
      for (const close of closings.toReversed()) await close();
    },
  };
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => (made ??= make());
}

async function startDevServer({ tools, directory, supervisor }: Stage): Promise<TemporalTarget> {
  const [port = 0] = await freePorts(1);
  const server = { cli: temporalCliOf(tools), port, cwd: directory };
  await supervisor.start(temporalPart(server));
  return temporalTarget({
    TEMPORAL_ADDRESS: temporalAddress(server),
    TEMPORAL_NAMESPACE,
  });
}

type StartPart = (
  name: string,
  script: string,
  env: Readonly<Record<string, string>>,
) => Promise<number>;

/**
 * Gives every part its own name: of two parts with one name, the supervisor would stop only one.
 */
function createStarter({ supervisor }: Stage, options: WorldOptions): StartPart {
  const started = new Map<string, number>();
  return async (name, script, env) => {
    const count = (started.get(name) ?? 0) + 1;
    started.set(name, count);
    const [port = 0] = await freePorts(1);
    const part = ownPart({
      name: count === 1 ? name : `${name}-${count}`,
      script: compiledFrom(script),
      environment: () => ({ ...env, PORT: String(port) }),
    });
    await supervisor.start(script.startsWith('src/main/') ? profiled(part, options) : part);
    return port;
  };
}

async function startPostgres({ tools, directory, supervisor }: Stage): Promise<string> {
  const [port = 0] = await freePorts(1);
  const dataDir = join(directory, 'postgres');
  const cluster = { programs: tools.postgres, dataDir, port, password: PASSWORD };
  await supervisor.start(postgresPart(cluster));
  const url = databaseUrl(cluster);
  await prepareDatabase(url);
  return url;
}

async function makeDatabase(database: Database, url: string, name: string): Promise<string> {
  await database.query({ text: `create database ${name}` });
  const address = new URL(url);
  address.pathname = `/${name}`;
  await prepareDatabase(address.href);
  return address.href;
}

/** Does the same as src/main/migrate.ts, without funding the holding account. */
async function prepareDatabase(url: string): Promise<void> {
  await migrate(url);
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  await recordEnvironment(database, ENVIRONMENT);
  await database.close();
}

function profiled(part: Part, { profileDir }: WorldOptions): Part {
  if (profileDir === undefined) return part;
  const flags = ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  return {
    ...part,
    prepare: async () => {
      const spec = await part.prepare();
      return { ...spec, args: [...flags, ...spec.args] };
    },
  };
}
