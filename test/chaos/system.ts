// The system under chaos: real processes on free ports. Two APIs, two workers of different builds,
// the sandbox, Postgres and Temporal with its executions in a file. Each is restarted when it dies,
// as under `npm start`.
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import { runTask, type TaskContext } from '../../src/dev/stack/own-process';
import {
  onboardPartners,
  readOrMakePartners,
  type PartnerEntry,
} from '../../src/dev/demo/partners';
import { freePorts } from '../../src/dev/stack/ports';
import { databaseUrl } from '../../src/dev/stack/postgres';
import { killProcess } from '../../src/dev/stack/processes';
import type { Restart } from '../../src/dev/stack/supervisor';
import type { SandboxPartner } from '../../src/dev/demo/sandbox-file';
import { readOrMakeSecrets } from '../../src/dev/stack/secrets';
import { workflowBundle } from '../../src/dev/package/workflow-bundle';
import type { ChaosOptions } from './command-line';
import { openRealProviders } from './real-providers';
import { createStage, removeAbandonedStages, type Stage } from '../bench/stage';
import { openDisk, unmountDisk } from './faults/disk';
import { createSnapshot } from './faults/snapshot';
import { APIS, openLinks, WORKERS, type ApiName, type ServerUrls } from './faults/links';
import {
  apiPart,
  checkoutFolder,
  COMMON,
  databasePart,
  dataDirOf,
  orchestrationPart,
  sandboxPart,
  workerPart,
  type SystemResources,
} from './parts';

export type System = Awaited<ReturnType<typeof startSystem>>;

const READY_WITHIN_MS = 2_000;

type Options = Pick<ChaosOptions, 'seconds' | 'hasAdapters'> & {
  readonly onRestart: (restart: Restart) => void;
};

/**
 * Calls `onOpen` before the first process starts, so that the caller can stop everything.
 * @throws StartError
 */
export async function startSystem(
  { seconds, hasAdapters, onRestart }: Options,
  onOpen: (open: Pick<Stage, 'kill'>) => void,
) {
  const stageOptions = { purpose: 'chaos', onRestart, onRemove: unmountDisk } as const;
  await removeAbandonedStages(stageOptions);
  const stage = createStage(stageOptions);
  onOpen(stage);
  const resources = await prepare(stage, { seconds, hasAdapters });
  const closeProviders = hasAdapters
    ? await openRealProviders(resources.ports['real providers'] ?? 0)
    : undefined;
  const partners = await startAll(resources);
  const { directory, supervisor } = stage;
  const { disk, snapshot, secrets, servers, links, tasks, shifts, ports } = resources;
  const apiUrls = { 'api-1': local(ports['api-1']), 'api-2': local(ports['api-2']) };
  const find = (name: string) => supervisor.running().find((one) => one.name === name);
  return {
    ...{ directory, disk, snapshot, secrets, links, partners, apiUrls },
    /** The real URLs of the servers, without the proxies. */
    servers,
    /** For programs that run to their end, such as payctl. */
    tasks,
    /** Kills the process as by kill -9. The supervisor restarts it. */
    kill(name: string) {
      const record = find(name);
      if (record !== undefined) killProcess(record);
    },
    pidOf: (name: string) => find(name)?.pid,
    isReady: (api: ApiName) => isReady(apiUrls[api]),
    /** Sets the clock error of the API from its next start on; milliseconds. */
    setClockShift: (api: ApiName, shiftMs: number) => shifts.set(api, shiftMs),
    /** Stops all processes in order, then removes the folder unless it is to stay. */
    async stop({ isKept }: { readonly isKept: boolean }) {
      await (isKept ? supervisor.stop() : stage.stop());
      await links.close();
      await closeProviders?.();
    },
  };
}

async function prepare(
  stage: Stage,
  { seconds, hasAdapters }: Pick<Options, 'seconds' | 'hasAdapters'>,
): Promise<SystemResources> {
  const { directory, supervisor } = stage;
  const names = [...APIS, 'postgres', 'temporal', 'provider', 'partner', 'real providers'];
  const free = await freePorts(names.length);
  const ports = Object.fromEntries(names.map((name, index) => [name, free[index] ?? 0]));
  const secrets = readOrMakeSecrets(directory);
  const servers: ServerUrls = {
    postgres: databaseUrl({ port: ports['postgres'] ?? 0, password: secrets.postgres_password }),
    temporal: `tcp://127.0.0.1:${String(ports['temporal'])}`,
    provider: local(ports[hasAdapters ? 'real providers' : 'provider']),
    partner: local(ports['partner']),
  };
  const env = {
    ...COMMON,
    DATABASE_URL: servers.postgres,
    TEMPORAL_ADDRESS: new URL(servers.temporal).host,
    KEY_ENCRYPTION_KEY: secrets.key_encryption_key,
  };
  const disk = openDisk(directory, seconds);
  return {
    ...{ stage, secrets, ports, servers, disk, hasAdapters },
    snapshot: createSnapshot(dataDirOf(disk), directory),
    links: await openLinks(servers),
    tasks: { env, directory, stopping: supervisor.stopping },
    shifts: new Map(),
  };
}

async function startAll(resources: SystemResources): Promise<readonly SandboxPartner[]> {
  const { stage, tasks, links, servers } = resources;
  const { supervisor, directory } = stage;
  const bundling = workflowBundle(tasks);
  const keys = await readOrMakePartners(directory);
  await Promise.all([
    supervisor.start(databasePart(resources)).then(() => migrate(tasks)),
    supervisor.start(orchestrationPart(resources)),
    bundleCheckout().then((files) => writeCheckout(checkoutFolder(directory), files)),
    supervisor.start(sandboxPart(resources)),
  ]);
  const partners = await onboard(keys, resources);
  const bundle = await bundling;
  const parts = [
    ...APIS.map((name) => apiPart(name, resources)),
    ...WORKERS.map((name) => workerPart(name, resources, bundle)),
  ];
  await Promise.all(parts.map((part) => supervisor.start(part)));
  return partners.map((partner) => ({
    ...partner,
    // The harness reads the inbox without the proxy, so that a cut link does not hide what arrived.
    webhook_inbox_url: partner.webhook_inbox_url.replace(
      links.urlFor('api-1', 'partner'),
      servers.partner,
    ),
  }));
}

function onboard(partners: readonly PartnerEntry[], { tasks, links, servers }: SystemResources) {
  const partnerBase = links.urlFor('api-1', 'partner');
  return onboardPartners({ ...tasks, partners, partnerBase, databaseUrl: servers.postgres });
}

async function migrate(tasks: TaskContext): Promise<void> {
  await runTask({ name: 'migrate', script: 'src/main/migrate.ts' }, tasks);
}

async function isReady(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_WITHIN_MS) });
    return reply.ok;
  } catch {
    return false;
  }
}

function local(port: number | undefined): string {
  return `http://127.0.0.1:${String(port)}`;
}
