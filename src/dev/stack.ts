// The whole local stack in the order in which its parts need each other: Postgres, then the schema; Temporal beside it;
// the sandbox, the partners in the database, API and worker.
import { join } from 'node:path';
import { bundleCheckout, writeCheckout } from './checkout-bundle';
import { postgresDataDir } from './data-folder';
import { ownPart, runTask, type TaskContext } from './own-process';
import { onboardPartners, partnersFile, readOrMakePartners, type PartnerEntry } from './partners';
import type { Ports } from './ports';
import { databaseUrl, postgresPart } from './postgres';
import type { Supervisor } from './supervisor';
import { readOrMakeSecrets } from './secrets';
import type { Settings } from './settings';
import { TEMPORAL_NAMESPACE, temporalPart } from './temporal';
import type { SandboxPartner } from './sandbox-file';
import type { Terminal } from './terminal';
import { temporalCliOf, type Tools } from './tools';
import { workflowBundle } from './workflow-bundle';

type Environment = Readonly<Record<string, string | undefined>>;

export interface StackOptions {
  readonly directory: string;
  readonly tools: Tools;
  readonly ports: Ports;
  readonly settings: Settings;
  /** Of the user: the processes get it, with ours over it. */
  readonly environment: Environment;
}

/** Where everything is, once it is up. */
export interface Addresses {
  readonly api: string;
  readonly metrics: string;
  readonly workerMetrics: string;
  readonly provider: string;
  readonly partner: string;
  readonly database: string;
  readonly temporal: string;
  readonly temporalUi: string;
  readonly temporalNamespace: string;
}

interface Starting extends StackOptions, TaskContext {
  readonly addresses: Addresses;
  readonly supervisor: Supervisor;
  readonly terminal: Terminal;
}

/** Everything is up when it comes back. @throws StartError */
export async function startStack(
  options: StackOptions,
  supervisor: Supervisor,
  terminal: Terminal,
): Promise<readonly SandboxPartner[]> {
  const env = processEnvironment(options);
  const { stopping } = supervisor;
  const addresses = addressesOf(options);
  const starting = { ...options, env, stopping, addresses, supervisor, terminal };
  const keys = readOrMakePartners(options.directory);
  const bundle = terminal.step('workflows bundled', () => workflowBundle(starting));
  // Awaited where it is needed; a failure meanwhile must not count as unhandled.
  bundle.catch(() => undefined);
  const checkout = terminal.step('checkout bundled', () => buildCheckout(options));
  checkout.catch(() => undefined);
  const sandbox = keys.then(() => startOwn('sandbox', starting));
  await allDone([startDatabase(starting), startTemporal(starting), sandbox]);
  const partners = keys.then((made) => onboard(made, starting));
  await allDone([
    partners,
    checkout.then(() => startOwn('api', starting)),
    bundle.then(() => startWorker(starting)),
  ]);
  return partners;
}

/** Like Promise.all, but a failure is told only when nothing is under way any more that could still start something. */
async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Where a process of ours serves what Prometheus reads. */
export function metricsUrl(port: number): string {
  return `${local(port)}/metrics`;
}

function local(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}

export function addressesOf({ ports, settings, directory }: StackOptions): Addresses {
  const isOurTemporal = settings.TEMPORAL_ADDRESS === undefined;
  const ourUi = isOurTemporal ? local(ports.TEMPORAL_UI_PORT) : '';
  return {
    api: local(ports.PORT),
    metrics: metricsUrl(ports.METRICS_PORT),
    workerMetrics: metricsUrl(ports.WORKER_METRICS_PORT),
    provider: local(ports.PROVIDER_PORT),
    partner: local(ports.PARTNER_PORT),
    database: databaseUrl({
      port: ports.POSTGRES_PORT,
      password: readOrMakeSecrets(directory).postgres_password,
    }),
    temporal: settings.TEMPORAL_ADDRESS ?? `127.0.0.1:${String(ports.TEMPORAL_PORT)}`,
    temporalUi: settings.TEMPORAL_UI_URL ?? ourUi,
    temporalNamespace: settings.TEMPORAL_NAMESPACE ?? TEMPORAL_NAMESPACE,
  };
}

/** The same files as `npm run build` makes, anew at every start: it takes half a second, beside what takes longer. */
async function buildCheckout(options: StackOptions): Promise<void> {
  writeCheckout(checkoutDir(options), await bundleCheckout());
}

function checkoutDir({ directory }: StackOptions): string {
  return join(directory, 'checkout');
}

async function startDatabase(starting: Starting): Promise<void> {
  const { directory, tools, ports, supervisor, terminal } = starting;
  const cluster = {
    programs: tools.postgres,
    dataDir: postgresDataDir(tools, directory),
    port: ports.POSTGRES_PORT,
    password: readOrMakeSecrets(directory).postgres_password,
  };
  await terminal.step('Postgres', () => supervisor.start(postgresPart(cluster)));
  const script = 'src/main/migrate.ts';
  await terminal.step('schema up to date', () => runTask({ name: 'migrate', script }, starting));
}

async function startTemporal(starting: Starting): Promise<void> {
  const { settings, tools, ports, directory, supervisor, terminal } = starting;
  if (settings.TEMPORAL_ADDRESS !== undefined) return;
  const server = {
    cli: temporalCliOf(tools),
    port: ports.TEMPORAL_PORT,
    uiPort: ports.TEMPORAL_UI_PORT,
    databaseFile: join(directory, 'temporal.db'),
    cwd: directory,
  };
  await terminal.step('Temporal', () => supervisor.start(temporalPart(server)));
}

function onboard(partners: readonly PartnerEntry[], starting: Starting) {
  const { addresses, terminal } = starting;
  return terminal.step('two partners onboarded', () =>
    onboardPartners({
      ...starting,
      partners,
      partnerBase: addresses.partner,
      databaseUrl: addresses.database,
    }),
  );
}

function startOwn(name: 'api' | 'sandbox', { env, supervisor, terminal }: Starting): Promise<void> {
  const part = ownPart({ name, script: `src/main/${name}.ts`, environment: () => env });
  return terminal.step(name === 'api' ? 'API' : 'sandbox', () => supervisor.start(part));
}

/** The bundle is looked up at every launch, so that a worker started again runs today's workflows. */
function startWorker(starting: Starting): Promise<void> {
  const { env, ports, supervisor, terminal } = starting;
  const environment = async () => ({
    ...env,
    // What every process of ours calls METRICS_PORT is the API's in the common environment.
    METRICS_PORT: String(ports.WORKER_METRICS_PORT),
    WORKFLOW_BUNDLE: await workflowBundle(starting),
  });
  const part = ownPart({ name: 'worker', script: 'src/main/worker.ts', environment });
  return terminal.step('worker', () => supervisor.start(part));
}

/** One environment for all of ours; each process reads its part of it (src/config.ts). */
function processEnvironment(options: StackOptions): Environment {
  const { directory, ports, settings, environment } = options;
  const addresses = addressesOf(options);
  const secrets = readOrMakeSecrets(directory);
  return {
    ...environment,
    SERVICE_ENV: 'sandbox',
    // Some shells export HOST with the machine's name.
    HOST: '127.0.0.1',
    TLS_CERT_FILE: undefined,
    TLS_KEY_FILE: undefined,
    PORT: String(ports.PORT),
    METRICS_PORT: String(ports.METRICS_PORT),
    PROVIDER_PORT: String(ports.PROVIDER_PORT),
    PARTNER_PORT: String(ports.PARTNER_PORT),
    DATABASE_URL: addresses.database,
    KEY_ENCRYPTION_KEY: secrets.key_encryption_key,
    INSTALLATION_KEY: secrets.installation_key,
    TEMPORAL_ADDRESS: addresses.temporal,
    TEMPORAL_NAMESPACE: addresses.temporalNamespace,
    PROVIDER_URL_TH_QRPAY: addresses.provider,
    PROVIDER_URL_VN_QRPAY: addresses.provider,
    PROVIDER_TOKEN: secrets.provider_token,
    PROVIDER_TOKEN_TH_QRPAY: secrets.provider_token,
    PROVIDER_TOKEN_VN_QRPAY: secrets.provider_token,
    PAYOUT_UNKNOWN_SECONDS: settings.PAYOUT_UNKNOWN_SECONDS,
    CHECKOUT_DIR: checkoutDir(options),
    SANDBOX_DIR: join(directory, 'sandbox'),
    SANDBOX_PARTNERS_FILE: partnersFile(directory),
  };
}
