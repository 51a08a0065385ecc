// The errors of a process whose database belongs to another environment (decision 128) or baseline
// of the schema, changes, is behind a pooler or lacks a corridor, or whose keys are of another.
import { ConfigError } from '../config/config';

/** @param recorded undefined where no migration has recorded an environment */
export function otherEnvironment(recorded: string | undefined, environment: string): ConfigError {
  if (recorded === undefined) {
    return new ConfigError(
      'No migration has recorded which environment the database of DATABASE_URL belongs to. Run the migration first, with the SERVICE_ENV that the database belongs to: node dist/src/main/migrate.js, or npm run migrate in a clone.',
    );
  }
  return new ConfigError(
    `DATABASE_URL is the database of ${recorded}, and SERVICE_ENV is ${environment}: neither may touch the other's payments. Set DATABASE_URL to the database of ${environment}, or SERVICE_ENV to ${recorded}. If this is a copy that ${environment} should use, see docs/operations.md, "A database of one environment".`,
  );
}

export function otherDatabase(): ConfigError {
  return new ConfigError(
    'DATABASE_URL has led to one database and now leads to another, which may have none of its payments. Set it to the database of this installation; a restored one keeps its id.',
  );
}

export function otherBaseline(): ConfigError {
  return new ConfigError(
    'DATABASE_URL is a database that an earlier baseline of the schema made, from before 0.1.0. It cannot be migrated, and nothing was changed. Begin anew with an empty database and an empty Temporal namespace.',
  );
}

export function databaseLacks(corridors: readonly string[]): ConfigError {
  return new ConfigError(
    `The database of DATABASE_URL has no accounts for ${corridors.join(', ')}: run this build's migration first (a migration with select add_corridor('…')).`,
  );
}

export function pooledDatabase(): ConfigError {
  return new ConfigError(
    'DATABASE_URL leads to a connection pooler, such as PgBouncer, and our sessions must not be shared: give the address of Postgres itself. Each process pools its own connections (DATABASE_POOL_SIZE).',
  );
}

export function otherInstallation(): ConfigError {
  return new ConfigError(
    'INSTALLATION_KEY is not that of this database: a create that a partner repeats would become a second payment. Set it to the key with which API and workers have run before; it never changes.',
  );
}

export function otherKey(): ConfigError {
  return new ConfigError(
    'KEY_ENCRYPTION_KEY opens none of the stored signing secrets: signed requests would get 401. Set it to their key, or that key as KEY_ENCRYPTION_KEY_SECOND and run "payctl keys reseal". If that key is lost, revoke every signing key and issue new ones.',
  );
}
