// Whose database this is (decision 128): its environment and the baseline of its schema, written by the first migration that an
// environment runs, read over every new connection of API and worker.
import { ourBaseline } from './baseline';
import { isNoSuchTable, type Queryable } from './database';

/** What a database says of itself. */
export interface DatabaseOwner {
  readonly environment: string;
  /** Null in a schema from before there was a place for it. */
  readonly baseline: string | null;
}

/** Undefined while no migration has recorded it. */
export async function readOwner(connection: Queryable): Promise<DatabaseOwner | undefined> {
  try {
    const { rows } = await connection.query<DatabaseOwner>({
      text: `select environment, to_jsonb(s) ->> 'baseline' as baseline from service_environment s`,
    });
    return rows[0];
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

/** Changes nothing that is on record. @returns what is on record then: another one, if that came first */
export async function recordEnvironment(
  database: Queryable,
  environment: string,
): Promise<string | undefined> {
  await database.query({
    text: `insert into service_environment (environment, baseline) values ($1, $2) on conflict (is_only) do nothing`,
    values: [environment, ourBaseline()],
  });
  // A statement of its own: the one above does not see the row of whoever was faster.
  return readEnvironment(database);
}
