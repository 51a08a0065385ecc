// The processes of the system under chaos. The supervisor restarts each one when it dies.
import { ofOneProvider } from '../../src/config/providers';
import { join } from 'node:path';
import { ownPart, type TaskContext } from '../../src/dev/stack/own-process';
import type { Part } from '../../src/dev/stack/supervisor';
import { partnersFile } from '../../src/dev/demo/partners';
import { postgresPart } from '../../src/dev/stack/postgres';
import type { Secrets } from '../../src/dev/stack/secrets';
import { temporalPart } from '../../src/dev/stack/temporal';
import { RUN_TYPESCRIPT, temporalCliOf } from '../../src/dev/tools';
import type { Stage } from '../bench/stage';
import type { Disk } from './faults/disk';
import { DIRECTORY_VARIABLE, NAME_VARIABLE } from './faults/failpoints';
import type { ApiName, Links, ServerUrls, WorkerName } from './faults/links';
import { REAL_SETTINGS } from './real-providers';
import type { Snapshot } from './faults/snapshot';
import { BUILDS } from './faults/versions';

/** The shared inputs of all parts. */
export interface SystemResources {
  readonly stage: Stage;
  readonly disk: Disk;
  readonly snapshot: Snapshot;
  readonly secrets: Secrets;
  /** By name of the process or server. */
  readonly ports: Readonly<Record<string, number>>;
  readonly servers: ServerUrls;
  readonly links: Links;
  readonly tasks: TaskContext;
  /** Clock error of each API from its next start on; milliseconds. */
  readonly shifts: Map<string, number>;
  readonly hasAdapters: boolean;
}

export const TTL_SECONDS = 30;
const PAYOUT_UNKNOWN_SECONDS = 15;
/**
 * A small log for a small disk. Without recycling, every log segment is a new file, so that a full
 * disk is noticed.
 */
const POSTGRES_SETTINGS = { max_wal_size: '128MB', min_wal_size: '32MB', wal_recycle: 'off' };
/** Does not inherit the user's environment, which may contain settings of the product. */
export const COMMON = {
  PATH: process.env['PATH'] ?? '',
  NODE_ENV: 'production',
  SERVICE_ENV: 'sandbox',
  HOST: '127.0.0.1',
  METRICS_PORT: '0',
};

export function dataDirOf(disk: Disk): string {
  return join(disk.folder, 'postgres');
}

export function databasePart(resources: SystemResources): Part {
  const { stage, disk, ports, secrets, snapshot } = resources;
  const part = postgresPart({
    programs: stage.tools.postgres,
    dataDir: dataDirOf(disk),
    port: ports['postgres'] ?? 0,
    password: secrets.postgres_password,
    settings: POSTGRES_SETTINGS,
  });
  return {
    ...part,
    prepare: async () => {
      const spec = await part.prepare();
      await snapshot.putBackIfWanted();
      return spec;
    },
  };
}

/** Stores its executions in a file, so that they survive a kill. */
export function orchestrationPart({ stage, ports }: SystemResources): Part {
  const { tools, directory } = stage;
  const databaseFile = join(directory, 'temporal.db');
  return temporalPart({
    ...{ cli: temporalCliOf(tools), cwd: directory, databaseFile },
    port: ports['temporal'] ?? 0,
  });
}

export function sandboxPart({ stage, ports, secrets }: SystemResources): Part {
  const env = {
    ...COMMON,
    PROVIDER_PORT: String(ports['provider']),
    PARTNER_PORT: String(ports['partner']),
    PROVIDER_TOKEN: secrets.provider_token,
    SANDBOX_DIR: join(stage.directory, 'sandbox'),
    SANDBOX_PARTNERS_FILE: partnersFile(stage.directory),
  };
  return ownPart({ name: 'sandbox', script: 'src/main/sandbox.ts', environment: () => env });
}

/** The checkout files; an API does not start without them. */
export function checkoutFolder(directory: string): string {
  return join(directory, 'checkout');
}

export function apiPart(name: ApiName, resources: SystemResources): Part {
  const { ports, shifts } = resources;
  const environment = () => ({
    ...environmentOf(name, resources),
    PORT: String(ports[name]),
    CHECKOUT_DIR: checkoutFolder(resources.stage.directory),
    INTENT_TTL_SECONDS: String(TTL_SECONDS),
    CLOCK_SHIFT_MS: String(shifts.get(name) ?? 0),
  });
  const part = ownPart({ name, script: 'test/chaos/api.ts', environment });
  const clock = join(__dirname, 'faults/shifted-clock.ts');
  const preloaded = [...RUN_TYPESCRIPT, '--require', clock];
  return {
    ...part,
    prepare: async () => {
      const spec = await part.prepare();
      return { ...spec, args: [...preloaded, ...spec.args] };
    },
  };
}

export function workerPart(name: WorkerName, resources: SystemResources, bundle: string): Part {
  const env = {
    ...environmentOf(name, resources),
    PAYOUT_UNKNOWN_SECONDS: String(PAYOUT_UNKNOWN_SECONDS),
    WORKFLOW_BUNDLE: bundle,
    WORKER_BUILD_ID: BUILDS[name],
  };
  return ownPart({ name, script: 'test/chaos/worker.ts', environment: () => env });
}

function environmentOf(name: ApiName | WorkerName, resources: SystemResources) {
  const { links, secrets, stage, hasAdapters } = resources;
  return {
    ...COMMON,
    ...ofOneProvider(links.urlFor(name, 'provider'), secrets.provider_token),
    ...(hasAdapters && REAL_SETTINGS),
    DATABASE_URL: links.urlFor(name, 'postgres'),
    TEMPORAL_ADDRESS: new URL(links.urlFor(name, 'temporal')).host,
    KEY_ENCRYPTION_KEY: secrets.key_encryption_key,
    INSTALLATION_KEY: secrets.installation_key,
    [NAME_VARIABLE]: name,
    [DIRECTORY_VARIABLE]: stage.directory,
  };
}
