// The environment that owns this database, the baseline of its schema, and its id (decision 128).
// The first migration that an environment runs writes them; API and worker read them over each new
// connection.
import { ourBaseline } from './baseline';
import { isNoSuchTable, readOne, readRows, type Queryable } from './database';

/** The database's own record of itself. */
export interface DatabaseOwner {
  readonly environment: string;
  /** Null in a schema that is older than this column, as the id. */
  readonly baseline: string | null;
  /** Random; kept by a backup and a dump. */
  readonly database: string | null;
}

/** Undefined before a migration has recorded the owner. */
export async function readOwner(connection: Queryable): Promise<DatabaseOwner | undefined> {
  try {
    const [owner] = await readRows<DatabaseOwner>(connection, {
      text: `select environment, to_jsonb(s) ->> 'baseline' as baseline,
                    to_jsonb(s) ->> 'database_id' as database
               from service_environment s`,
    });
    return owner;
  } catch (error) {
    if (isNoSuchTable(error)) return undefined;
    throw error;
  }
}

export function isOfOurBaseline({ baseline }: DatabaseOwner): boolean {
  return baseline === ourBaseline();
}

export async function readEnvironment(connection: Queryable): Promise<string | undefined> {
  return (await readOwner(connection))?.environment;
}

/** Of the first process; others compare theirs. @returns the recorded id */
export async function recordInstallation(connection: Queryable, id: string): Promise<string> {
  const read = { text: 'select installation_id as id from installation' };
  const recorded = await readRows<{ readonly id: string }>(connection, read);
  if (recorded[0] !== undefined) return recorded[0].id;
  await connection.query({
    text: 'insert into installation (installation_id) values ($1) on conflict do nothing',
    values: [id],
  });
  return (await readOne<{ readonly id: string }>(connection, read)).id;
}

/** Whether decisions of operators need two people (decision 159). */
export async function hasFourEyes(connection: Queryable): Promise<boolean> {
  const { isOn } = await readOne<{ readonly isOn: boolean }>(connection, {
    text: 'select exists (select from service_environment where four_eyes) as "isOn"',
  });
  return isOn;
}

/**
 * Records the environment unless one is recorded already.
 * @returns the recorded environment, which is another one if that came first
 */
export async function recordEnvironment(
  database: Queryable,
  environment: string,
): Promise<string | undefined> {
  await database.query({
    text: `insert into service_environment (environment, baseline, four_eyes)
           values ($1, $2, $1 = 'prod')
               on conflict (is_only) do nothing`,
    values: [environment, ourBaseline()],
  });
  // A separate statement, since the one above does not see a row that a faster process committed.
  return readEnvironment(database);
}
