// Secrets that settings name: in a file, or printed by a command.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, readOpsConfig, readWorkerConfig } from '../../../src/config/config';
import { KEY_ENCRYPTION_KEY } from '../../support/builders';
import { withFolder } from '../../support/brackets';

const folder = withFolder();
const KEY = KEY_ENCRYPTION_KEY.toString('base64');
const WITHOUT_KEY = { DATABASE_URL: 'postgres://nobody@127.0.0.1/nowhere' };
const OPS = { ...WITHOUT_KEY, KEY_ENCRYPTION_KEY: KEY };

function fileOf(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const messageOf = (given: Readonly<Record<string, string>>) => {
  try {
    readOpsConfig(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'nothing is wrong';
};

it('are read from files, without the line break at the end', () => {
  const config = readOpsConfig({
    DATABASE_URL_FILE: fileOf('database', `${OPS.DATABASE_URL}\n`),
    KEY_ENCRYPTION_KEY_FILE: fileOf('key', `${KEY}\r\n`),
    TEMPORAL_API_KEY_FILE: fileOf('api-key', 'an-api-key\n'),
  });
  expect(config).toMatchObject(OPS);
  expect(config.temporal.apiKey).toBe('an-api-key');
});

it('are read for each corridor, and the file of a TLS key stays a file', () => {
  const config = readWorkerConfig({
    ...{ ...OPS, SERVICE_ENV: 'sandbox', INSTALLATION_KEY: KEY },
    ...{ PROVIDER_URL_TH_QRPAY: 'http://127.0.0.1:1', PROVIDER_URL_VN_QRPAY: 'http://127.0.0.1:1' },
    PROVIDER_TOKEN_TH_QRPAY_FILE: fileOf('token', 'a-token-of-the-provider\n'),
    PROVIDER_TOKEN_VN_QRPAY: 'another-token-of-it',
    ...{ TLS_CERT_FILE: '/nowhere/cert.pem', TLS_KEY_FILE: '/nowhere/key.pem' },
  });
  expect(config).toMatchObject({
    PROVIDER_TOKEN_TH_QRPAY: 'a-token-of-the-provider',
    TLS_KEY_FILE: '/nowhere/key.pem',
  });
});

it('are printed by a command, which no shell reads', () => {
  const command = `cat ${fileOf('printed', `${KEY}\n`)}`;
  const config = readOpsConfig({ ...WITHOUT_KEY, KEY_ENCRYPTION_KEY_COMMAND: command });
  expect(config.KEY_ENCRYPTION_KEY).toBe(KEY);
  const piped = { ...WITHOUT_KEY, KEY_ENCRYPTION_KEY_COMMAND: `${command} | head -1` };
  expect(messageOf(piped)).toMatch(/did not print a key within 10 s/);
});

it.each([
  [
    { KEY_ENCRYPTION_KEY_FILE: '/nowhere/key' },
    'KEY_ENCRYPTION_KEY_FILE names the file /nowhere/key, which cannot be read (ENOENT).',
  ],
  [
    { KEY_ENCRYPTION_KEY: KEY, KEY_ENCRYPTION_KEY_FILE: '/nowhere/key' },
    'KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_KEY_FILE are set: unset one.',
  ],
  [
    { KEY_ENCRYPTION_KEY_FILE: '/nowhere/key', KEY_ENCRYPTION_KEY_COMMAND: 'true' },
    'KEY_ENCRYPTION_KEY_FILE and KEY_ENCRYPTION_KEY_COMMAND are set: unset one.',
  ],
  [
    { KEY_ENCRYPTION_KEY_COMMAND: 'no-such-program' },
    'KEY_ENCRYPTION_KEY_COMMAND did not print a key within 10 s (ENOENT). Run it by hand as the user of this process.',
  ],
  [{ KEY_ENCRYPTION_KEY_COMMAND: 'true' }, /^Settings missing or wrong\. KEY_ENCRYPTION_KEY is /],
])('are missing where the settings are %j', (given, sentence) => {
  expect(messageOf({ ...WITHOUT_KEY, ...given })).toMatch(sentence);
});

it('stay out of the message of a command that fails', () => {
  const command = `node ${fileOf('fails.cjs', `console.log('${KEY}'); process.exit(1)`)}`;
  const message = messageOf({ ...WITHOUT_KEY, KEY_ENCRYPTION_KEY_COMMAND: command });
  expect(message).toContain('(it exited with an error)');
  expect(message).not.toContain(KEY);
});
