// What one bench measures: the product's real processes over a Postgres and a Temporal server with the settings of
// `npm start`, and the programs it is compared with. All of it on the loopback, on free ports.
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
import { COMMON, productEnvironment, type TemporalTarget, type Whereabouts } from './environments';
import { startLoad, type Load } from './load/load';
import { openPartners, type Onboard } from './load/partners';
import type { Stage } from './stage';

export interface World {
  /** One connection, for what has to be there beforehand and for counting afterwards. */
  readonly database: Database;
  readonly databaseUrl: string;
  readonly seal: SecretSeal;
  readonly load: Load;
  /** A partner with its key set served; its network is the loopback unless told. */
  readonly onboard: Onboard;
  /** Another database in the same cluster, with today's schema. @returns its address */
  makeDatabase(name: string): Promise<string>;
  /** The one dev server, with the settings of `npm start`, in memory; started when it is first asked for. */
  temporal(): Promise<TemporalTarget>;
  /** Likewise a provider and webhook endpoints that answer at once. */
  endpoints(): Promise<string>;
  /** Without Temporal its address is a closed port. @returns its port */
  startApi(where?: Partial<Whereabouts>): Promise<number>;
  /** Ready when it takes tasks. */
  startWorker(temporal: TemporalTarget, where?: Partial<Whereabouts>): Promise<void>;
  /**
   * @param script in test/bench/reference; it listens on PORT and says when it is ready
   * @returns its port
   */
  startReference(script: string, env?: Readonly<Record<string, string>>): Promise<number>;
  /** Of every process that was started here, the load process aside. */
  cpuTimes(): CpuTimes;
  /** Is done when the world closes. */
  atTheEnd(close: () => unknown): void;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Where API and worker leave a CPU profile when they end. */
  readonly profileDir: string | undefined;
}

/** For the report's settings. */
export const WORLD_SETTINGS = {
  processes:
    'src/main/api.ts and worker.ts compiled as by npm run build, defaults of docs/configuration.md, their logs into files',
  postgres: 'embedded, defaults, data on disk',
  temporal:
    'a dev server in memory with the settings of `npm start`; none, a closed port, where only rejections and reads are measured',
  load: 'one process of its own, keep-alive connections, requests prepared beforehand',
};

const PASSWORD = 'only-on-loopback-and-gone-after-the-bench';

/** @throws StartError. What it has started by then, the stage stops. */
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
    temporal: once(() => startTemporal(stage)),
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

async function startTemporal({ tools, directory, supervisor }: Stage): Promise<TemporalTarget> {
  const [port = 0] = await freePorts(1);
  const server = { cli: temporalCliOf(tools), port, cwd: directory };
  await supervisor.start(temporalPart(server));
  return { address: temporalAddress(server), namespace: TEMPORAL_NAMESPACE };
}

type StartPart = (
  name: string,
  script: string,
  env: Readonly<Record<string, string>>,
) => Promise<number>;

/** No two parts may have one name: the later would hide the earlier, which then nobody stops. */
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

/** As src/main/migrate.ts does it, without the money. */
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
