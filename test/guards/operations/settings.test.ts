// The message for a missing or wrong setting names it, says what is wrong and what is expected, and
// shows no value that may be secret.
import {
  CONFIG_SCHEMAS,
  ConfigError,
  readApiConfig,
  readLocalDir,
  readMigrateConfig,
  readOpsConfig,
  readSandboxConfig,
  readTemporalConfig,
  readWorkerConfig,
} from '../../../src/config/config';

type Environment = Readonly<Record<string, string>>;

const READERS: Readonly<Record<keyof typeof CONFIG_SCHEMAS, (given: Environment) => unknown>> = {
  api: readApiConfig,
  worker: readWorkerConfig,
  sandbox: readSandboxConfig,
  payctl: readOpsConfig,
  migrate: readMigrateConfig,
  'prepare-temporal': readTemporalConfig,
};

/** All but prepare-temporal, of whose settings one has no default. */
const PROCESSES = (Object.keys(CONFIG_SCHEMAS) as readonly (keyof typeof CONFIG_SCHEMAS)[]).filter(
  (name) => name !== 'prepare-temporal',
);

/** The parts of the message, one for each setting. */
function faultsOf(process: keyof typeof CONFIG_SCHEMAS, given: Environment): readonly string[] {
  try {
    READERS[process](given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, faults = ''] = /^Settings missing or wrong\. ([^\n]*)$/.exec(error.message) ?? [];
    return faults.split(/(?<=\.) (?=[A-Z_]+ is )/);
  }
  return [];
}

/** All but the one that contradicts another. */
const NAMES = (process: keyof typeof CONFIG_SCHEMAS) =>
  Object.keys(CONFIG_SCHEMAS[process].shape).filter(
    (name) => name !== 'KEY_ENCRYPTION_KEY_COMMAND',
  );
/**
 * An invalid value for every setting: no number, choice, address or key, and too short for a
 * credential.
 */
const WRONG = '\u0007 x';

it.each(PROCESSES)('names each missing setting of %s and its expected value', (name) => {
  const faults = faultsOf(name, {});
  expect(faults.length).toBeGreaterThan(1);
  expect(faults.filter((fault) => !/^[A-Z_]+ is missing: set it to .+\.$/.test(fault))).toEqual([]);
});

it.each(PROCESSES)(
  'names each wrong setting of %s and its expected value, without text of a library',
  (name) => {
    const given = Object.fromEntries(NAMES(name).map((setting) => [setting, WRONG]));
    const faults = faultsOf(name, given);
    expect(faults.length).toBeGreaterThan(1);
    const odd = faults.filter(
      (fault) =>
        !/^[A-Z_]+ is ("\\u0007 x"|something else \(not shown here\)), and should be .+\.$/.test(
          fault,
        ),
    );
    expect(odd).toEqual([]);
    expect(faults.join()).not.toMatch(/invalid|expected|NaN|undefined|Zod/i);
  },
);

const GOOD = {
  DATABASE_URL: 'postgres://ops:hunter2@127.0.0.1/payments',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

it('prepares Temporal with the address of the database alone', () => {
  const { DATABASE_URL } = GOOD;
  const given = { DATABASE_URL, TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'payments' };
  const { temporal } = readTemporalConfig(given);
  expect(temporal).toEqual({ address: 'temporal:7233', namespace: 'payments' });
});

it('accepts valid settings', () => {
  expect(readOpsConfig(GOOD)).toMatchObject(GOOD);
});

it.each([
  [{ KEY_ENCRYPTION_KEY: '' }, /^KEY_ENCRYPTION_KEY is missing: set it to 32 bytes in base64/],
  [
    { KEY_ENCRYPTION_KEY: 'c2VjcmV0' },
    /^KEY_ENCRYPTION_KEY is something else \(not shown here\), and/,
  ],
  [
    { DATABASE_URL: 'mysql://ops:hunter2@127.0.0.1/payments' },
    /^DATABASE_URL is something else \(not shown here\), and should be a connection string, such as postgres:/,
  ],
  [
    { HOLDING_LOW_USD_CENTS: '1.5' },
    /^HOLDING_LOW_USD_CENTS is "1\.5", and should be a whole number from 0 to 1000000000000\.$/,
  ],
  [
    { DATABASE_URL: `${GOOD.DATABASE_URL}?sslmode=verify-full&sslrootcert=/none.pem` },
    /^DATABASE_URL is something else .*, and its sslrootcert, sslcert and sslkey files that can be read\.$/,
  ],
  [
    { TEMPORAL_ADDRESS: 'https://temporal:7233' },
    /^TEMPORAL_ADDRESS is "https:\/\/temporal:7233", and should be a host and port, such as/,
  ],
  [
    { TEMPORAL_API_KEY: 'hunter2-key\n' },
    /^TEMPORAL_API_KEY is something else .*, without spaces or line breaks around it\.$/,
  ],
])('reports %j as one fault', (wrong, expected) => {
  const faults = faultsOf('payctl', { ...GOOD, ...wrong });
  expect(faults).toEqual([expect.stringMatching(expected)]);
  expect(faults.join()).not.toMatch(/hunter2|c2VjcmV0/);
});

it('takes a value of spaces for one that is not set', () => {
  expect(readOpsConfig({ ...GOOD, HOLDING_LOW_USD_CENTS: ' \n' })).toEqual(readOpsConfig(GOOD));
  expect(readLocalDir({ LOCAL_DIR: '' })).toBe('.local');
});

const OF_WORKER = {
  ...GOOD,
  SERVICE_ENV: 'sandbox',
  INSTALLATION_KEY: GOOD.KEY_ENCRYPTION_KEY,
  PROVIDER_URL_TH_QRPAY: 'https://thai.example/v1',
  PROVIDER_URL_VN_QRPAY: 'http://127.0.0.1:8090',
  PROVIDER_TOKEN_TH_QRPAY: 'hunter2 of a provider',
  PROVIDER_TOKEN_VN_QRPAY: 'hunter2 of a provider',
};

it.each([
  ['PROVIDER_URL_TH_QRPAY', 'https://thai.example/', /without user, query, fragment or final/],
  ['PROVIDER_URL_TH_QRPAY', 'https://thai.example?v=1', /without user, query, fragment or final/],
  ['PROVIDER_URL_TH_QRPAY', 'https://a:hunter2@thai.example', /without user, query, fragment/],
  ['PROVIDER_TOKEN_TH_QRPAY', 'hunter2 of a provider\n', /printable ASCII .* without a line break/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'a:hunter2@collector:4318', /begins with https:/],
  ['OTEL_TRACES_SAMPLER_ARG', '10 %', /a share from 0 to 1/],
  ['OTEL_TRACES_SAMPLER_ARG', '10', /a share from 0 to 1/],
])('a worker does not start with %s=%j, which would fail later', (name, value, expected) => {
  expect(faultsOf('worker', OF_WORKER)).toEqual([]);
  const faults = faultsOf('worker', { ...OF_WORKER, [name]: value });
  expect(faults).toEqual([expect.stringMatching(expected)]);
  expect(faults.join()).not.toMatch(/hunter2/);
});

it('shows only the beginning of a long value', () => {
  const [fault = ''] = faultsOf('payctl', { ...GOOD, HOLDING_LOW_USD_CENTS: 'x'.repeat(5_000) });
  expect(fault.length).toBeLessThan(200);
});
