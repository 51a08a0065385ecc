// The secrets of a sandbox: the database opens and reads nothing with others.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrMakeSecrets } from '../../../src/dev/stack/secrets';
import { withFolder } from '../setup/scripts';

it('makes secrets once, and reads the same at every start', () =>
  withFolder((folder) => {
    const made = readOrMakeSecrets(folder);
    expect(Object.values(made).every((secret) => secret.length > 20)).toBe(true);
    expect(readOrMakeSecrets(folder)).toEqual(made);
    return Promise.resolve();
  }));

it.each([
  ['has a typing error', '{ "key_encryption_key": "x", }'],
  ['lacks a secret', '{ "key_encryption_key": "x" }'],
])('does not replace a file that %s, as after an edit by hand', (_what, text) =>
  withFolder((folder) => {
    const file = join(folder, 'secrets.json');
    writeFileSync(file, text);
    expect(() => readOrMakeSecrets(folder)).toThrow(
      `${file} is not JSON, or lacks a secret: correct it, or delete ${folder} to start afresh.`,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
    return Promise.resolve();
  }),
);
