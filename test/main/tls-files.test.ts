// "A setting that is missing or wrong ends the process with exit code 2 and a sentence" (docs/configuration.md): of the
// files that the API serves TLS with (decision 23).
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTlsFiles } from '../../src/main/tls-files';
import { recogniseErrorsOfNode } from '../support/builders';
import { CERT_FILE, certificateAndKey, KEY_FILE } from '../support/certificate';

recogniseErrorsOfNode();

const folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const otherKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return fileOf('other.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
};
const read = (cert: string, key: string) => () =>
  readTlsFiles({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key });

it('are read as they are', () => {
  expect(read(CERT_FILE, KEY_FILE)()).toEqual(certificateAndKey());
});

it('are none where neither is named', () => {
  expect(readTlsFiles({})).toBeUndefined();
});

it.each<[string, () => [cert: string, key: string], RegExp]>([
  [
    'a certificate that is not there',
    () => [join(folder, 'none.pem'), KEY_FILE],
    /^TLS_CERT_FILE names a file that cannot be read \(ENOENT\)\.$/,
  ],
  [
    'a key that is a folder',
    () => [CERT_FILE, folder],
    /^TLS_KEY_FILE names a file that cannot be read \(EISDIR\)\.$/,
  ],
  [
    'an empty certificate',
    () => [fileOf('empty.pem', ''), KEY_FILE],
    /^TLS_CERT_FILE names a file that is not PEM\.$/,
  ],
  [
    'a certificate with the key of another',
    () => [CERT_FILE, otherKey()],
    /^TLS_CERT_FILE and TLS_KEY_FILE name files that do not go together \(ERR_\w+\), and should name a certificate chain and its private key without a passphrase, both PEM\.$/,
  ],
  ['the two in the wrong order', () => [KEY_FILE, CERT_FILE], /do not go together/],
])('are refused with %s', (_name, files, sentence) => {
  const failing = read(...files());
  expect(failing).toThrow(sentence);
  expect(failing).toThrow(expect.objectContaining({ name: 'ConfigError' }) as Error);
});
