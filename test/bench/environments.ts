// The settings of the product's processes in a bench: the defaults of docs/configuration.md, except
// for addresses and keys.
import { readTemporalConfig } from '../../src/config/config';
import type { TemporalSettings } from '../../src/temporal/connection';
import { ENVIRONMENT, INSTALLATION_KEY, KEY_ENCRYPTION_KEY } from '../support/builders';

export interface TemporalTarget extends TemporalSettings {
  /** The same as settings of a process. */
  readonly environment: Readonly<Record<string, string>>;
}

const NOWHERE = '127.0.0.1:9';

/** @param environment variables `TEMPORAL_…` */
export function temporalTarget(environment: Readonly<Record<string, string>>): TemporalTarget {
  // Of these settings only those of Temporal are used.
  const given = { DATABASE_URL: `postgres://${NOWHERE}/none`, ...environment };
  return { ...readTemporalConfig(given).temporal, environment };
}

/** Where a process reaches the other services. */
export interface ServiceAddresses {
  readonly databaseUrl: string;
  /** A closed port by default. */
  readonly temporal?: TemporalTarget;
  /** The provider of both corridors. Without it nothing can be paid out. */
  readonly providerUrl?: string;
  /** In place of the others. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Leaves out the user's environment, which may still hold settings of this product. */
export const COMMON = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' };

/** The only settings that are taken over, so that a bench can also run with traces on. */
const TRACING = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_')),
);

const PROVIDER_TOKEN = 'instant-endpoints.ts checks no token';

/** For the API and for the worker: each one reads only its own settings. */
export function productEnvironment({
  databaseUrl,
  temporal = temporalTarget({ TEMPORAL_ADDRESS: NOWHERE }),
  providerUrl = `http://${NOWHERE}`,
  settings = {},
}: ServiceAddresses) {
  return {
    ...COMMON,
    ...TRACING,
    SERVICE_ENV: ENVIRONMENT,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    DATABASE_URL: databaseUrl,
    KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
    INSTALLATION_KEY: INSTALLATION_KEY.toString('base64'),
    ...temporal.environment,
    PROVIDER_URL_TH_QRPAY: providerUrl,
    PROVIDER_URL_VN_QRPAY: providerUrl,
    PROVIDER_TOKEN_TH_QRPAY: PROVIDER_TOKEN,
    PROVIDER_TOKEN_VN_QRPAY: PROVIDER_TOKEN,
    ...settings,
  };
}
