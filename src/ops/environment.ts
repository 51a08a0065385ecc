// Where payctl works: on DATABASE_URL if it is set, otherwise on the running sandbox of this clone
// (architecture, section 7).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLocalDir } from '../config';
import { Rejection } from './rejection';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Rejection when neither is there. */
export function opsEnvironment(environment: Environment): Environment {
  if (environment['DATABASE_URL']) return environment;
  const folder = readLocalDir(environment);
  const sandbox = readJson(join(folder, 'sandbox.json'));
  const secrets = readJson(join(folder, 'secrets.json'));
  return {
    ...environment,
    DATABASE_URL: sandbox['database_url'],
    TEMPORAL_ADDRESS: sandbox['temporal_address'],
    KEY_ENCRYPTION_KEY: secrets['key_encryption_key'],
  };
}

/** @throws Rejection where a given key would silently stand behind the sandbox's own. */
export function rejectIgnoredSealingKey(environment: Environment): void {
  const given = environment['KEY_ENCRYPTION_KEY'];
  if (!given || given === opsEnvironment(environment)['KEY_ENCRYPTION_KEY']) return;
  throw new Rejection(
    'The sandbox seals under the key in its secrets.json, whatever KEY_ENCRYPTION_KEY says. Put the new key there, or set DATABASE_URL for a system of your own.',
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
