// Migrates a database to this build's schema: forward only, and under node-pg-migrate's advisory
// lock, so that many processes may start at once.
import { readdirSync } from 'node:fs';
import { runner } from 'node-pg-migrate';
import { MIGRATIONS } from './baseline';
import { isNoSuchTable, type Queryable } from './database';

/** Idempotent. @throws when a migration fails; then none of this call's migrations is applied */
export async function migrate(databaseUrl: string): Promise<readonly string[]> {
  const applied = await runner({
    databaseUrl,
    dir: MIGRATIONS,
    direction: 'up',
    migrationsTable: 'schema_migrations',
    checkOrder: true,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    log: () => undefined,
  });
  return applied.map((migration) => migration.name);
}

/** Whether the database has migrations that this build does not have. */
export async function hasOtherMigrations(connection: Queryable): Promise<boolean> {
  const ours = readdirSync(MIGRATIONS).map((file) => file.replace(/\.sql$/, ''));
  try {
    const text = 'select from schema_migrations where name <> all ($1) limit 1';
    return (await connection.query({ text, values: [ours] })).rows.length > 0;
  } catch (error) {
    if (isNoSuchTable(error)) return false;
    throw error;
  }
}
