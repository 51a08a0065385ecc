// The system that payctl works on: DATABASE_URL if it is set, otherwise the running sandbox of this
// clone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLocalDir, type Environment } from '../config/config';
import { withoutTemporalSettings } from '../config/temporal';
import { Rejection } from './rejection';

/** @throws Rejection without DATABASE_URL and without a sandbox */
export function opsEnvironment(environment: Environment): Environment {
  if (environment['DATABASE_URL'] || environment['DATABASE_URL_FILE']) return environment;
  const folder = readLocalDir(environment);
  const sandbox = readJson(join(folder, 'sandbox.json'));
  const secrets = readJson(join(folder, 'secrets.json'));
  return {
    ...withoutTemporalSettings(environment),
    DATABASE_URL: sandbox['database_url'],
    TEMPORAL_ADDRESS: sandbox['temporal_address'],
    TEMPORAL_UI_URL: sandbox['temporal_ui_url'],
    KEY_ENCRYPTION_KEY: secrets['key_encryption_key'],
  };
}

/** @throws Rejection if a given key would be silently ignored in favour of the sandbox's own */
export function rejectIgnoredSealingKey(environment: Environment): void {
  const given = environment['KEY_ENCRYPTION_KEY'];
  if (!given || given === opsEnvironment(environment)['KEY_ENCRYPTION_KEY']) return;
  throw new Rejection(
    'The sandbox seals under the key in its secrets.json and ignores KEY_ENCRYPTION_KEY. Put the new key there, or set DATABASE_URL to work on another system.',
  );
}

function readJson(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
  } catch (error) {
    throw new Rejection(
      `No sandbox is set up here (${file} cannot be read). Run \`npm start\` in another terminal, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}
