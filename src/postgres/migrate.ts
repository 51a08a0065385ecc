// Brings a database to today's schema: forward only, under node-pg-migrate's advisory lock, so many may start at once.
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';

const MIGRATIONS = join(__dirname, 'migrations');

/** Idempotent. @param count no more than the first so many; @throws when a migration fails, and what ran before it stays */
export async function migrate(databaseUrl: string, count?: number): Promise<readonly string[]> {
  const applied = await runner({
    databaseUrl,
    dir: MIGRATIONS,
    direction: 'up',
    ...(count !== undefined && { count }),
    migrationsTable: 'schema_migrations',
    checkOrder: true,
    singleTransaction: true,
    log: () => undefined,
  });
  return applied.map((migration) => migration.name);
}
