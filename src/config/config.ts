// The only reader of process.env, but for the setup. Each process reads the settings that it needs.
// The error about a wrong setting is one sentence that names the variable, its value (never that of
// a secret) and what it should be.
import { z } from 'zod';
import {
  parse,
  flag,
  matching,
  oneOf,
  port,
  text,
  whole,
  withoutEmpty,
  type Environment,
} from './values';
import { codes, maximums, minimums, payee } from './corridors';
import { accounts, providers, rejectAccounts, sandboxServers } from './providers';
import {
  CONFIRM_WAIT_DEFAULT_MS,
  INTENT_TTL_DEFAULT_SECONDS,
  RESTORE_WATCH_MAX_AGE_DEFAULT_SECONDS,
  WEBHOOKS_PER_ENDPOINT_DEFAULT,
} from '../domain/limits';
import { PAYOUT_UNKNOWN_DEFAULT_SECONDS } from '../domain/payouts/limits';
import {
  database,
  holding,
  installation,
  partnerNetworks,
  plainHttp,
  rejectNetworksInProd,
  rejectPlainHttp,
  requireTls,
  sealing,
  shared,
} from './shared';
import { temporal, temporalSettings, temporalUi } from './temporal';
import { withSecrets } from './secrets';
import type { TemporalSettings } from '../temporal/connection';

const apiSchema = z.object({
  ...shared,
  ...database,
  ...sealing,
  ...installation,
  ...temporal,
  ...minimums,
  ...maximums,
  ...payee,
  ...codes,
  ...accounts,
  ...partnerNetworks,
  ...plainHttp,
  HOST: text('an address').default('127.0.0.1').describe('The address the API listens on.'),
  PORT: port(8080).describe('The port of the API; 0 takes any free one.'),
  METRICS_PORT: port(9464).describe('The port of the metrics, on HOST; 0 takes any free one.'),
  ERROR_ENVELOPE: oneOf('flat', 'nested')
    .default('flat')
    .describe('The shape of error bodies (decision 2).'),
  INTENT_TTL_SECONDS: whole(INTENT_TTL_DEFAULT_SECONDS, 1, 86_400).describe(
    'How long a created intent can be confirmed.',
  ),
  CONFIRM_WAIT_MS: whole(CONFIRM_WAIT_DEFAULT_MS, 0, CONFIRM_WAIT_DEFAULT_MS).describe(
    'How long a confirm waits for the outcome.',
  ),
  TRUSTED_PROXY_HOPS: whole(0, 0, 8).describe(
    'How many proxies of yours are in front. They end TLS, and the API trusts as many for X-Forwarded-For.',
  ),
  CONNECTIONS_MAX: whole(4_096, 16, 65_536).describe(
    'Beyond this many connections the API closes the one that has been idle the longest. Twice as many are never open.',
  ),
  REQUESTS_MAX: whole(2_048, 1, 65_536).describe(
    'While this many requests are in progress, further ones but `/healthz` and `/readyz` get 503.',
  ),
  TLS_CERT_FILE: text('a file')
    .optional()
    .describe('Certificate chain, PEM. With TLS_KEY_FILE this process serves TLS 1.2 or later.'),
  TLS_KEY_FILE: text('a file').optional().describe('Private key of the certificate, PEM.'),
  CHECKOUT_DIR: text('a folder')
    .optional()
    .describe(
      'Folder of the checkout page that `npm run build` writes. Unset: the folder beside the compiled program.',
    ),
});

const tls = apiSchema.pick({ TLS_CERT_FILE: true, TLS_KEY_FILE: true, TRUSTED_PROXY_HOPS: true });
const workerSchema = z.object({
  ...shared,
  ...database,
  ...sealing,
  ...installation,
  ...temporal,
  ...maximums,
  ...payee,
  ...holding,
  ...partnerNetworks,
  HOST: text('an address').default('127.0.0.1').describe('The address of metrics and callbacks.'),
  METRICS_PORT: port(9465).describe('The port of the metrics, on HOST; 0 takes any free one.'),
  ...providers,
  ...{ ...tls.shape, ...plainHttp },
  PAYOUT_UNKNOWN_SECONDS: whole(PAYOUT_UNKNOWN_DEFAULT_SECONDS, 1, 86_400).describe(
    'Seconds from the first attempt until an unknown payout needs attention.',
  ),
  RESTORE_WATCH_MAX_AGE_SECONDS: whole(RESTORE_WATCH_MAX_AGE_DEFAULT_SECONDS, 60, 86_400).describe(
    'In prod, payouts stop if Postgres and Temporal were not compared for longer than this (decision 127).',
  ),
  WEBHOOKS_PER_ENDPOINT: whole(WEBHOOKS_PER_ENDPOINT_DEFAULT, 1, 200).describe(
    'How many webhooks one worker sends to one endpoint at a time. Each worker has its own limit.',
  ),
  OPERATOR_CONFIRM: flag()
    .optional()
    .describe(
      'Whether operators may confirm an intent without a token (`payctl intents confirm`). Unset: yes in the sandbox, no in prod.',
    ),
  WORKER_BUILD_ID: matching(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 of A-Z, a-z, 0-9, "_", "." and "-"')
    .optional()
    .describe(
      'The build id of the worker, such as a commit. Temporal gives it tasks once that build is made current (decision 113).',
    ),
  WORKFLOW_BUNDLE: text('a file')
    .optional()
    .describe('A workflow bundle made by `npm run build`; without it the worker bundles at start.'),
});

const sandboxSchema = z.object({
  LOG_LEVEL: shared.LOG_LEVEL,
  ...plainHttp,
  HOST: text('an address').default('127.0.0.1').describe('The address the sandbox listens on.'),
  ...sandboxServers,
  SANDBOX_DIR: text('a folder').describe('Folder of the provider journal and the inboxes.'),
  SANDBOX_PARTNERS_FILE: text('a file').describe(
    'JSON file of the sandbox partners: slug, kid and public key.',
  ),
});

const opsSchema = z.object({
  DATABASE_URL: database.DATABASE_URL,
  ...temporal,
  ...temporalUi,
  ...sealing,
  ...holding,
  ...payee,
  ...partnerNetworks,
});
const migrateSchema = z.object({
  SERVICE_ENV: shared.SERVICE_ENV,
  DATABASE_URL: database.DATABASE_URL,
});
const temporalSchema = z.object({ DATABASE_URL: database.DATABASE_URL, ...temporal });
const listeningSchema = apiSchema.pick({ HOST: true, PORT: true, TLS_CERT_FILE: true });

/** How to connect to Temporal, by all of its settings. */
interface WithTemporal {
  readonly temporal: TemporalSettings;
}

export type ApiConfig = z.infer<typeof apiSchema> & WithTemporal;
export type WorkerConfig = z.infer<typeof workerSchema> & WithTemporal;
export type OpsConfig = z.infer<typeof opsSchema> & WithTemporal;
export type ListeningConfig = z.infer<typeof listeningSchema>;

/** The settings of each process, for the generated tables of docs/configuration.md. */
export const CONFIG_SCHEMAS = {
  api: apiSchema,
  worker: workerSchema,
  sandbox: sandboxSchema,
  payctl: opsSchema,
  migrate: migrateSchema,
  'prepare-temporal': temporalSchema,
};

export { ConfigError, type Environment } from './values';

export function processEnvironment(): Environment {
  return process.env;
}

export function readApiConfig(environment: Environment = process.env): ApiConfig {
  const config = readWithTemporal(apiSchema, environment);
  rejectNetworksInProd(config);
  rejectAccounts(config);
  requireTls(config);
  return config;
}

export function readWorkerConfig(environment: Environment = process.env): WorkerConfig {
  const config = readWithTemporal(workerSchema, environment);
  rejectNetworksInProd(config);
  rejectAccounts(config);
  if (config.CALLBACK_PORT !== undefined) requireTls(config);
  return config;
}

export function readSandboxConfig(environment: Environment = process.env) {
  const config = read(sandboxSchema, environment);
  rejectPlainHttp(config);
  return config;
}
export const readMigrateConfig = readerOf(migrateSchema);
export const readTemporalConfig = (environment: Environment = process.env) =>
  readWithTemporal(temporalSchema, environment);
export const readOpsConfig = (environment: Environment = process.env) =>
  readWithTemporal(opsSchema, environment);
/** For the API's health check: where the API listens, and whether it serves TLS. */
export const readListeningConfig = readerOf(listeningSchema);

export type SealingConfig = Pick<OpsConfig, keyof typeof sealing>;

/** The parameters of `createSecretSeal`: the key that seals, and the keys that only open. */
export function sealingKeys(config: SealingConfig): [sealing: Buffer, opening: readonly Buffer[]] {
  const { KEY_ENCRYPTION_KEY: first, KEY_ENCRYPTION_KEY_SECOND: second } = config;
  const decode = (text: string) => Buffer.from(text, 'base64');
  return [decode(first), second === undefined ? [] : [decode(second)]];
}

/** The parameter of `createInstallation`. */
export function installationKey(config: ApiConfig | WorkerConfig): Buffer {
  return Buffer.from(config.INSTALLATION_KEY, 'base64');
}

/** Decides which addresses of partners this process calls (decision 114). */
export function partnerAddressesOf(config: ApiConfig | WorkerConfig) {
  return { environment: config.SERVICE_ENV, networks: config.PARTNER_NETWORKS };
}

function readerOf<Schema extends z.ZodObject>(schema: Schema) {
  return (environment: Environment = process.env) => read(schema, environment);
}

function readWithTemporal<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): z.infer<Schema> & WithTemporal {
  const known = withSecrets(withoutEmpty(environment), Object.keys(schema.shape));
  return { ...parse(schema, known), temporal: temporalSettings(known) };
}

const read = <Schema extends z.ZodObject>(schema: Schema, environment: Environment) =>
  parse(schema, withSecrets(withoutEmpty(environment), Object.keys(schema.shape)));

/** The folder for the data of this clone's `npm start`; LOCAL_DIR moves it. */
export function readLocalDir(environment: Environment = process.env): string {
  return withoutEmpty(environment)['LOCAL_DIR'] ?? '.local';
}
