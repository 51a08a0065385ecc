// A separate database for a test, cloned from the migrated template in about 15 ms and dropped
// afterwards.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export const TEMPLATE_DATABASE = 'payments_template';

export interface TestDatabase {
  readonly url: string;
  /** Closes connections that are still open. */
  drop(): Promise<void>;
}

/** For a whole test file: call it in `beforeAll` and `drop` in `afterAll`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabaseFrom(TEMPLATE_DATABASE);
}

/** A database without schema, for tests of the migration. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabaseFrom('template0');
}

async function createDatabaseFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The default strategy of Postgres would write every page to its log.
  await asAdmin(`create database ${name} template ${template} strategy file_copy`);
  const url = urlOf(adminUrl(), name);
  const mutation = process.env['TEST_MUTATED_SQL'] ?? '';
  if (mutation !== '' && template === TEMPLATE_DATABASE) {
    await withClient(url, (client) => client.query(mutation));
  }
  return {
    url,
    drop: () => asAdmin(`drop database if exists ${name} with (force)`),
  };
}

export interface Backup {
  /** Restores the database from the copy. Closes its connections. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Copies the whole database. Closes its connections, and rejects new ones until the copy is made.
 */
export async function backUp({ url }: Pick<TestDatabase, 'url'>): Promise<Backup> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy_${randomBytes(3).toString('hex')}`;
  // A template must have no connections, and closed clients reconnect at once.
  await asAdmin(`alter database ${name} allow_connections false`);
  try {
    await asAdmin(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    await asAdmin(`create database ${copy} template ${name}`);
  } finally {
    await asAdmin(`alter database ${name} allow_connections true`);
  }
  return {
    async restore() {
      await asAdmin(`drop database ${name} with (force)`);
      await asAdmin(`create database ${name} template ${copy}`);
    },
    drop: () => asAdmin(`drop database if exists ${copy} with (force)`),
  };
}

/** Backs up the database of a test; the copies are dropped after it. */
export function withBackups(database: Pick<TestDatabase, 'url'>): () => Promise<Backup> {
  const backups: Backup[] = [];
  afterEach(() => Promise.all(backups.splice(0).map((backup) => backup.drop())));
  return async () => {
    const backup = await backUp(database);
    backups.push(backup);
    return backup;
  };
}

/** For one test: drops the database after the work, even if it failed. */
export async function withDatabase<Result>(
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const database = await createTestDatabase();
  try {
    return await work(database.url);
  } finally {
    await database.drop();
  }
}

/** The same server, another database. */
export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function asAdmin(statement: string): Promise<void> {
  await withClient(adminUrl(), (client) => client.query(statement));
}

/** Opens a connection for the work, and closes it even if the work failed. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function adminUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url !== undefined) return url;
  throw new Error(
    'TEST_DATABASE_URL is not set: put this test into a Jest project with global-setup.ts.',
  );
}
