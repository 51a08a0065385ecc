// What one bench measures: the API as its real process over a Postgres with the settings of `npm start`, and the programs
// it is compared with. All of it on the loopback, on free ports.
import { join } from 'node:path';
import { bundleCheckout, writeCheckout } from '../../src/dev/checkout-bundle';
import { ownPart } from '../../src/dev/own-process';
import type { Part } from '../../src/dev/part';
import { freePorts } from '../../src/dev/ports';
import { databaseUrl, postgresPart } from '../../src/dev/postgres';
import { until } from '../../src/dev/until';
import { createDatabase, type Database } from '../../src/postgres/database';
import { migrate } from '../../src/postgres/migrate';
import { createSecretSeal, type SecretSeal } from '../../src/signing/sealed-secret';
import { ENVIRONMENT, KEY_ENCRYPTION_KEY } from '../support/builders';
import { startLoad, type Load } from './load';
import type { Stage } from './stage';

export interface World {
  /** One connection, for what has to be there beforehand and for counting afterwards. */
  readonly database: Database;
  readonly seal: SecretSeal;
  readonly load: Load;
  /** @returns its port */
  startApi(): Promise<number>;
  /** @param script in test/bench/reference; it listens on PORT and says when it is ready. @returns its port */
  startReference(script: string): Promise<number>;
  /** Rows written by anybody since the database was made. Cuts the API's connections, so that each reports its own. */
  countRowsWritten(): Promise<number>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Where the API leaves a CPU profile when it ends. */
  readonly profileDir: string | undefined;
}

/** For the report's settings. */
export const WORLD_SETTINGS = {
  api: 'src/main/api.ts by tsx, defaults of docs/configuration.md, its log into a file',
  postgres: 'embedded, defaults, data on disk',
  temporal: 'none: TEMPORAL_ADDRESS is a closed port, since refusals do not ask it',
  load: 'one process of its own, keep-alive connections, requests prepared beforehand',
};

const PASSWORD = 'only-on-loopback-and-gone-after-the-bench';
/** Nothing of the user's environment, where a setting of ours may be left over. */
const COMMON = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' };

/** @throws StartError. What it has started by then, the stage stops. */
export async function createWorld(stage: Stage, options: WorldOptions): Promise<World> {
  const { supervisor } = stage;
  const url = await startPostgres(stage);
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const load = startLoad();
  const start = async (name: string, script: string, env: Readonly<Record<string, string>>) => {
    const [port = 0] = await freePorts(1);
    const environment = () => ({ ...COMMON, ...env, PORT: String(port) });
    const part = ownPart({ name, script, environment });
    await supervisor.start(name === 'api' ? profiled(part, options) : part);
    return port;
  };
  return {
    database,
    seal: createSecretSeal(KEY_ENCRYPTION_KEY),
    load,
    startApi: async () =>
      start('api', 'src/main/api.ts', await apiEnvironment(url, stage.directory)),
    startReference: (script) => start('reference', `test/bench/reference/${script}`, {}),
    countRowsWritten: () => countRowsWritten(database),
    async close() {
      load.close();
      await database.close();
    },
  };
}

async function startPostgres({ tools, directory, supervisor }: Stage): Promise<string> {
  const [port = 0] = await freePorts(1);
  const dataDir = join(directory, 'postgres');
  const cluster = { programs: tools.postgres, dataDir, port, password: PASSWORD };
  await supervisor.start(postgresPart(cluster));
  const url = databaseUrl(cluster);
  await migrate(url);
  return url;
}

async function apiEnvironment(url: string, directory: string) {
  const [closedPort = 0] = await freePorts(1);
  const checkoutDir = join(directory, 'checkout');
  writeCheckout(checkoutDir, await bundleCheckout());
  return {
    SERVICE_ENV: ENVIRONMENT,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    DATABASE_URL: url,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    TEMPORAL_ADDRESS: `127.0.0.1:${String(closedPort)}`,
    CHECKOUT_DIR: checkoutDir,
  };
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

/** A server process of Postgres reports what it has counted when it ends, at the latest. */
async function countRowsWritten(database: Database): Promise<number> {
  const isAlone = async () => {
    const { rows } = await database.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
              where backend_type = 'client backend' and datname = current_database() and pid <> pg_backend_pid()`,
    });
    return rows.length === 0;
  };
  if (!(await until(isAlone, { timeoutMs: 10_000 }))) throw new Error('a connection does not end');
  await database.query({ text: 'select pg_stat_force_next_flush()' });
  const { rows } = await database.query<{ readonly written: number }>({
    text: `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as written from pg_stat_user_tables`,
  });
  return rows[0]?.written ?? Number.NaN;
}
