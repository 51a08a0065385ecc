// The settings that more than one process reads. Only src/config/config.ts reads the environment.
import { accessSync, constants } from 'node:fs';
import { z } from 'zod';
import { address, ConfigError, flag, key, oneOf, share, text, whole } from './values';
import { connectionStrings } from '../domain/connection-strings';
import { AMOUNT_MAX_USD_CENTS } from '../domain/limits';

const url = () => address('an address that begins with https:// or http://', 'https', 'http');

/** OpenTelemetry's SDK reads them itself, among others. */
const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url()
    .optional()
    .describe(
      'Turns traces on: where an OpenTelemetry collector takes OTLP over HTTP; `/v1/traces` is added.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url()
    .optional()
    .describe('Turns traces on too, and is the whole address.'),
  OTEL_EXPORTER_OTLP_HEADERS: text('headers')
    .optional()
    .describe('Headers for the collector, as `name=value` with commas between them.'),
  OTEL_SERVICE_NAME: text('a name')
    .optional()
    .describe('The name of this process in traces. Unset: `payment-intents-api` or `-worker`.'),
  OTEL_TRACES_SAMPLER: oneOf(
    ...['always_on', 'always_off', 'traceidratio'],
    ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
  )
    .optional()
    .describe(
      'Which requests are traced, by the names of OpenTelemetry. Unset: `parentbased_always_on`, where a partner that sends a `traceparent` decides.',
    ),
  OTEL_TRACES_SAMPLER_ARG: share('a share from 0 to 1')
    .optional()
    .describe('For `traceidratio`: the share of traces, from 0 to 1.'),
};

export const shared = {
  SERVICE_ENV: oneOf('sandbox', 'prod').describe(
    'The environment: `sandbox` or `prod`. Each rejects the keys and databases of the other (decision 128).',
  ),
  LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error')
    .default('info')
    .describe(
      'The lowest level that is logged: `debug`, `info`, `warn` or `error`. `debug` adds no lines to `info`.',
    ),
  ...tracing,
};

export const database = {
  DATABASE_URL: databaseAddress().describe(
    'Postgres 18 or later, as a connection string. Several hosts, as `one:5432,two:5432`, need `target_session_attrs=read-write`.',
  ),
  DATABASE_POOL_SIZE: whole(20, 1, 500).describe('The most connections that one process holds.'),
};

export const sealing = {
  KEY_ENCRYPTION_KEY: key().describe(
    '32 bytes in base64 that seal signing and webhook secrets at rest. Make one: `openssl rand -base64 32`.',
  ),
  KEY_ENCRYPTION_KEY_COMMAND: text('a command')
    .optional()
    .describe(
      'Instead of the key: a program and its arguments, with spaces between them, that prints it within 10 s, such as a call of a KMS. It is run once at the start, without a shell.',
    ),
  KEY_ENCRYPTION_KEY_SECOND: key()
    .optional()
    .describe(
      'A second such key, which only opens secrets: set it while one key replaces another (`payctl keys reseal --help`).',
    ),
};

export const installation = {
  INSTALLATION_KEY: key().describe(
    '32 bytes in base64, never changed: intent ids are derived from it (decision 14). Make one: `openssl rand -base64 32`.',
  ),
};

export const holding = {
  HOLDING_LOW_USD_CENTS: whole(AMOUNT_MAX_USD_CENTS, 0, 1_000_000_000_000).describe(
    'Below this balance the holding account counts as low: the worker warns, `payctl accounts list` reports it. 0 turns both off.',
  ),
};

const cidrBlock = z.union([z.cidrv4(), z.cidrv6()]);

export const partnerNetworks = {
  PARTNER_NETWORKS: text('CIDR blocks such as 172.16.0.0/12, separated by commas')
    .transform((text) => text.split(',').map((block) => block.trim()))
    .refine(
      (blocks) => blocks.every((block) => cidrBlock.safeParse(block).success),
      'CIDR blocks such as 172.16.0.0/12, separated by commas',
    )
    .optional()
    .describe(
      'In a sandbox: CIDR blocks, separated by commas, of private networks in which partners may be called, also over http (decision 114). Rejected in prod.',
    ),
};

interface WithNetworks {
  readonly SERVICE_ENV: string;
  readonly PARTNER_NETWORKS?: readonly string[] | undefined;
}

/** @throws ConfigError */
export function rejectNetworksInProd(config: WithNetworks): void {
  if (config.SERVICE_ENV !== 'prod' || config.PARTNER_NETWORKS === undefined) return;
  throw new ConfigError(
    'PARTNER_NETWORKS is for a sandbox: in prod partners are called at public addresses only. Unset it.',
  );
}

export const plainHttp = {
  PLAIN_HTTP_ALLOWED: flag()
    .default(false)
    .describe(
      'Whether a sandbox without TLS may listen on an address that is not loopback: all can read its tokens. Prod needs TLS anyway.',
    ),
};

interface Listening {
  readonly HOST: string;
  readonly PLAIN_HTTP_ALLOWED: boolean;
}

interface WithTls extends Listening {
  readonly SERVICE_ENV: string;
  readonly TLS_CERT_FILE?: string | undefined;
  readonly TLS_KEY_FILE?: string | undefined;
  readonly TRUSTED_PROXY_HOPS: number;
}

/** The process ends TLS itself, or a proxy of ours does (decision 23). @throws ConfigError */
export function requireTls(config: WithTls): void {
  if ((config.TLS_CERT_FILE === undefined) !== (config.TLS_KEY_FILE === undefined)) {
    throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither.');
  }
  if (config.TLS_CERT_FILE !== undefined || config.TRUSTED_PROXY_HOPS > 0) return;
  if (config.SERVICE_ENV === 'prod') {
    throw new ConfigError(
      'In prod the API serves TLS only, and so do callbacks: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXY_HOPS when a proxy of yours ends TLS.',
    );
  }
  rejectPlainHttp(config);
}

/** For a sandbox without TLS. @throws ConfigError */
export function rejectPlainHttp(config: Listening): void {
  if (config.PLAIN_HTTP_ALLOWED || isLoopback(config.HOST)) return;
  throw new ConfigError(
    `HOST is ${config.HOST}, which others can reach, and there is no TLS: tokens and secrets would be readable. Set HOST to 127.0.0.1, serve TLS, or set PLAIN_HTTP_ALLOWED=true if no one else reaches this network.`,
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A connection string, also one with several hosts (src/domain/connection-strings.ts). */
function databaseAddress() {
  const should = 'a connection string, such as postgres://user:password@host:5432/name';
  const severalShould = `${should}; with several hosts it ends in ?target_session_attrs=read-write`;
  const one = address(should, 'postgres', 'postgresql');
  return z
    .string(should)
    .refine((url) => connectionStrings(url).every((each) => one.safeParse(each).success), should)
    .refine(
      (url) =>
        connectionStrings(url).length === 1 ||
        /[?&]target_session_attrs=(read-write|primary)(&|$)/.test(url),
      severalShould,
    )
    .refine(
      (url) => connectionStrings(url).every(namesReadableFiles),
      `${should}, and its sslrootcert, sslcert and sslkey files that can be read`,
    );
}

/** Each connection reads them: without them the process would start and answer nothing. */
function namesReadableFiles(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { searchParams } = new URL(url);
  const files = ['sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => searchParams.getAll(name));
  try {
    for (const file of files) accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
