// Starts the local stack in the order in which its parts need each other: Postgres and then the
// schema, Temporal beside them, the sandbox, the partners in the database, API and worker.
import { join } from 'node:path';
import { postgresDataDir } from './data-folder';
import { ownPart, runTask, type LaunchEnvironment, type TaskContext } from './own-process';
import { onboardPartners, partnersFile, readOrMakePartners } from '../demo/partners';
import type { Ports } from './ports';
import { databaseUrl, postgresPart } from './postgres';
import type { Sandbox, SandboxPartner } from '../demo/sandbox-file';
import { readOrMakeSecrets } from './secrets';
import type { Settings } from './settings';
import type { Part, Supervisor } from './supervisor';
import { TEMPORAL_NAMESPACE, temporalPart } from './temporal';
import type { Terminal } from '../terminal';
import { ofOneProvider } from '../../config/providers';
import type { Environment } from '../../config/values';
import { withoutTemporalSettings } from '../../config/temporal';
import { temporalCliOf, type Tools } from '../tools';

/** The files that a clone bundles at its start, and that the packed sandbox contains. */
export interface BuiltFiles {
  /** Resolves with the path of the workflow bundle. */
  readonly workflows: (context: TaskContext) => Promise<string>;
  /** Writes the checkout to this folder. */
  readonly checkout: (folder: string) => Promise<void>;
}

export interface StackOptions {
  readonly directory: string;
  readonly built: BuiltFiles;
  readonly tools: Tools;
  readonly ports: Ports;
  readonly settings: Settings;
  /** The user's environment: the processes get it, with our variables added. */
  readonly environment: Environment;
}

/** The addresses of the running stack. That of the worker's metrics is only printed. */
export interface Addresses extends Omit<Sandbox, 'processes' | 'partners'> {
  readonly worker_metrics_url: string;
}

/** Resolves when everything is up. @throws StartError */
export async function startStack(
  options: StackOptions,
  supervisor: Supervisor,
  terminal: Terminal,
): Promise<readonly SandboxPartner[]> {
  const { directory, built, tools, ports } = options;
  const addresses = addressesOf(options);
  const env = processEnvironment(options, addresses);
  const context = { env, directory, stopping: supervisor.stopping };
  const start = (label: string, part: Part) => terminal.step(label, () => supervisor.start(part));
  const startOwn = (label: string, name: string, environment: LaunchEnvironment = () => env) =>
    start(label, ownPart({ name, script: `src/main/${name}.ts`, environment }));
  /** Called before every launch, so that a restarted worker runs the current workflows. */
  const workerEnvironment = async () => ({
    ...env,
    // METRICS_PORT in the common environment is the port of the API.
    METRICS_PORT: String(ports.WORKER_METRICS_PORT),
    WORKFLOW_BUNDLE: await built.workflows(context),
  });

  const keys = readOrMakePartners(directory);
  const bundle = terminal.step('workflows built', () => built.workflows(context));
  const checkout = terminal.step('checkout built', () => built.checkout(checkoutDir(directory)));
  // Awaited later; a failure before that must not count as unhandled.
  for (const early of [bundle, checkout]) early.catch(() => undefined);
  const cluster = { ...databaseOf(options), programs: tools.postgres };
  const dataDir = postgresDataDir(tools, directory);
  const migrate = () => runTask({ name: 'migrate', script: 'src/main/migrate.ts' }, context);
  await allDone([
    start('Postgres', postgresPart({ ...cluster, dataDir })).then(() =>
      terminal.step('schema up to date', migrate),
    ),
    ...temporalParts(options).map((part) => start('Temporal', part)),
    keys.then(() => startOwn('sandbox', 'sandbox')),
  ]);
  const where = { partnerBase: local(ports.PARTNER_PORT), databaseUrl: addresses.database_url };
  const partners = keys.then((made) =>
    terminal.step('two partners onboarded', () =>
      onboardPartners({ ...context, ...where, partners: made }),
    ),
  );
  await allDone([
    partners,
    checkout.then(() => startOwn('API', 'api')),
    bundle.then(() => startOwn('worker', 'worker', workerEnvironment)),
  ]);
  return partners;
}

/**
 * Like Promise.all, but rejects only when all work has ended, so that nothing is started after the
 * failure.
 */
async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The address of the Prometheus metrics of one of our processes. */
export function metricsUrl(port: number): string {
  return `${local(port)}/metrics`;
}

function local(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}

export function addressesOf(options: StackOptions): Addresses {
  const { ports, settings } = options;
  const ourUi = settings.TEMPORAL_ADDRESS === undefined ? local(ports.TEMPORAL_UI_PORT) : '';
  return {
    base_url: local(ports.PORT),
    checkout_url: local(ports.PORT),
    temporal_address: settings.TEMPORAL_ADDRESS ?? `127.0.0.1:${String(ports.TEMPORAL_PORT)}`,
    temporal_ui_url: settings.TEMPORAL_UI_URL ?? ourUi,
    database_url: databaseUrl(databaseOf(options)),
    provider_url: local(ports.PROVIDER_PORT),
    metrics_url: metricsUrl(ports.METRICS_PORT),
    worker_metrics_url: metricsUrl(ports.WORKER_METRICS_PORT),
  };
}

function databaseOf({ directory, ports }: StackOptions) {
  return {
    port: ports.POSTGRES_PORT,
    password: readOrMakeSecrets(directory).postgres_password,
  };
}

/** Empty when the user names a running server. */
function temporalParts({ settings, tools, ports, directory }: StackOptions): readonly Part[] {
  if (settings.TEMPORAL_ADDRESS !== undefined) return [];
  const server = {
    cli: temporalCliOf(tools),
    port: ports.TEMPORAL_PORT,
    uiPort: ports.TEMPORAL_UI_PORT,
    databaseFile: join(directory, 'temporal.db'),
    cwd: directory,
  };
  return [temporalPart(server)];
}

function checkoutDir(directory: string): string {
  return join(directory, 'checkout');
}

/** One environment for all processes; each reads its settings from it (src/config/config.ts). */
function processEnvironment(options: StackOptions, addresses: Addresses): Environment {
  const { directory, ports, settings, environment } = options;
  const secrets = readOrMakeSecrets(directory);
  const isOurs = settings.TEMPORAL_ADDRESS === undefined;
  return {
    ...(isOurs ? withoutTemporalSettings(environment) : environment),
    SERVICE_ENV: 'sandbox',
    // Some shells export HOST with the machine's name.
    HOST: '127.0.0.1',
    TLS_CERT_FILE: undefined,
    TLS_KEY_FILE: undefined,
    PORT: String(ports.PORT),
    METRICS_PORT: String(ports.METRICS_PORT),
    PROVIDER_PORT: String(ports.PROVIDER_PORT),
    PARTNER_PORT: String(ports.PARTNER_PORT),
    DATABASE_URL: addresses.database_url,
    KEY_ENCRYPTION_KEY: secrets.key_encryption_key,
    INSTALLATION_KEY: secrets.installation_key,
    TEMPORAL_ADDRESS: addresses.temporal_address,
    TEMPORAL_NAMESPACE: settings.TEMPORAL_NAMESPACE ?? TEMPORAL_NAMESPACE,
    ...ofOneProvider(addresses.provider_url, secrets.provider_token),
    PROVIDER_TOKEN: secrets.provider_token,
    PAYOUT_UNKNOWN_SECONDS: settings.PAYOUT_UNKNOWN_SECONDS,
    CHECKOUT_DIR: checkoutDir(directory),
    SANDBOX_DIR: join(directory, 'sandbox'),
    SANDBOX_PARTNERS_FILE: partnersFile(directory),
  };
}
