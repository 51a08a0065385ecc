// The settings of the connection to Temporal mean what they mean to Temporal's own tools.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readTemporalConfig } from '../../../src/config/config';
import { withoutTemporalSettings } from '../../../src/config/temporal';
import { CERT_FILE, CERTIFICATE, KEY_FILE } from '../../support/http/certificate';
import { AUTHORITY_FILE, CLIENT_FILE } from '../../support/servers/hosted-temporal';

const folder = mkdtempSync(join(tmpdir(), 'temporal-settings-'));
const fileOf = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const PROFILES = fileOf(
  'temporal.toml',
  `[profile.default]
address = "from-the-file:7233"
namespace = "default-of-the-file"
[profile.prod]
address = "prod:7233"
namespace = "payments"
api_key = "the key of prod"
[profile.prod.grpc_meta]
x-team = "payments"
`,
);
const PRIVATE_KEY = readFileSync(KEY_FILE, 'utf8');

const DATABASE_URL = 'postgres://127.0.0.1/not_used';
const settingsOf = (given: Record<string, string>) =>
  readTemporalConfig({ DATABASE_URL, ...given }).temporal;

it('has defaults for the local server, without TLS', () => {
  expect(settingsOf({})).toEqual({ address: '127.0.0.1:7233', namespace: 'default' });
});

it('takes an API key, which turns TLS on', () => {
  expect(settingsOf({ TEMPORAL_API_KEY: 'abc' })).toMatchObject({ apiKey: 'abc', tls: true });
});

it.each([
  ['true', true],
  ['yes', true],
  ['false', false],
])('TEMPORAL_TLS=%s', (given, tls) => {
  expect(settingsOf({ TEMPORAL_TLS: given, TEMPORAL_API_KEY: 'abc' }).tls).toBe(tls);
});

it('takes a client certificate and an authority from files', () => {
  const { tls } = settingsOf({
    TEMPORAL_TLS_CLIENT_CERT_PATH: CERT_FILE,
    TEMPORAL_TLS_CLIENT_KEY_PATH: KEY_FILE,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
  });
  expect(JSON.parse(JSON.stringify(tls, asText))).toEqual({
    serverNameOverride: 'temporal.internal',
    serverRootCACertificate: readFileSync(AUTHORITY_FILE, 'utf8'),
    clientCertPair: { crt: CERTIFICATE, key: PRIVATE_KEY },
  });
});

it('takes a certificate as text', () => {
  const { tls } = settingsOf({
    TEMPORAL_TLS_CLIENT_CERT_DATA: CERTIFICATE,
    TEMPORAL_TLS_CLIENT_KEY_DATA: PRIVATE_KEY,
  });
  expect(JSON.parse(JSON.stringify(tls, asText))).toEqual({
    clientCertPair: { crt: CERTIFICATE, key: PRIVATE_KEY },
  });
});

it('reads a profile of a file, and lets the environment override it', () => {
  const given = { TEMPORAL_CONFIG_FILE: PROFILES };
  expect(settingsOf(given)).toEqual({
    address: 'from-the-file:7233',
    namespace: 'default-of-the-file',
  });
  expect(settingsOf({ ...given, TEMPORAL_PROFILE: 'prod', TEMPORAL_NAMESPACE: 'other' })).toEqual({
    address: 'prod:7233',
    namespace: 'other',
    apiKey: 'the key of prod',
    tls: true,
    metadata: { 'x-team': 'payments' },
  });
});

it('takes keys for payloads, the first of which encrypts', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const pairs = [`2026-12:${one.toString('base64')}`, `2026-11:${two.toString('base64')}`];
  expect(settingsOf({ TEMPORAL_PAYLOAD_KEYS: pairs.join(',') }).payloadKeys).toEqual([
    { id: '2026-12', key: one },
    { id: '2026-11', key: two },
  ]);
});

it.each([
  ['a file that is not there', { TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }, /ENOENT/],
  [
    'a profile that is not in the file',
    { TEMPORAL_CONFIG_FILE: PROFILES, TEMPORAL_PROFILE: 'staging' },
    /'staging' not found/,
  ],
  [
    'a certificate file that is not there',
    {
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, 'none.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: KEY_FILE,
    },
    /ENOENT/,
  ],
  [
    'a certificate without its key',
    { TEMPORAL_TLS_CLIENT_CERT_PATH: CERT_FILE },
    /client certificate and its key go together/,
  ],
  [
    'no TLS beside an authority',
    { TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE },
    /TEMPORAL_TLS is false, which contradicts TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  ],
  [
    'a key of another certificate',
    { TEMPORAL_TLS_CLIENT_CERT_PATH: CLIENT_FILE, TEMPORAL_TLS_CLIENT_KEY_PATH: KEY_FILE },
    /key values mismatch/,
  ],
  [
    'an authority that is not PEM',
    { TEMPORAL_TLS_SERVER_CA_CERT_PATH: PROFILES },
    /a certificate, key or authority is not PEM/,
  ],
  [
    'a header that gRPC would quote in its error, without quoting it',
    {
      TEMPORAL_CONFIG_FILE: fileOf(
        'break.toml',
        '[profile.default]\napi_key = "secret-of-prod\\n"\n',
      ),
    },
    /^((?!secret-of-prod)[^])*has a line break((?!secret-of-prod)[^])*$/,
  ],
  [
    'a file that is no TOML, without quoting it',
    {
      TEMPORAL_CONFIG_FILE: fileOf('broken.toml', '[profile.default]\napi_key = "secret-of-prod\n'),
    },
    /^((?!secret-of-prod)[^])*$/,
  ],
  [
    'a file of another shape',
    { TEMPORAL_CONFIG_FILE: fileOf('other.toml', '[profile.default]\nadress = "x"\n') },
    /unrecognized.*adress/,
  ],
])('refuses %s, with one sentence', (_what, given, why) => {
  const read = () => settingsOf(given);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/^The settings of the connection to Temporal are wrong: .*\.$/);
  expect(read).toThrow(why);
});

const [ONE, OTHER] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

it.each([
  ['a key of another length', 'one:c2VjcmV0'],
  ['an id with two keys, of which one encrypts and another decrypts', `id:${ONE},id:${OTHER}`],
])('refuses for payloads %s, without showing it', (_what, TEMPORAL_PAYLOAD_KEYS) => {
  expect(() => settingsOf({ TEMPORAL_PAYLOAD_KEYS })).toThrow(
    /^Settings missing or wrong\. TEMPORAL_PAYLOAD_KEYS is something else \(not shown here\)/,
  );
});

it("leaves out a user's own settings for a program that calls another server", () => {
  const given = { PATH: '/bin', TEMPORAL_PROFILE: 'prod', TEMPORAL_API_KEY: 'abc' };
  expect(withoutTemporalSettings(given)).toEqual({ PATH: '/bin' });
});

function asText(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  const { type, data } = (value ?? {}) as { readonly type?: string; readonly data?: number[] };
  return type === 'Buffer' ? Buffer.from(data ?? []).toString() : value;
}
