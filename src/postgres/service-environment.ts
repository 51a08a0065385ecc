// Which environment this database belongs to (decision 128): written by the first migration that an environment runs, read
// over every new connection of API and worker.
import type { Queryable } from './database';

const NO_SUCH_TABLE = '42P01';

/** Undefined while no migration has recorded it; a schema from before there was a place for it counts as that. */
export async function readEnvironment(connection: Queryable): Promise<string | undefined> {
  try {
    const { rows } = await connection.query<{ readonly environment: string }>({
      text: 'select environment from service_environment',
    });
    return rows[0]?.environment;
  } catch (error) {
    if (isNoSuchTable(error)) return undefined;
    throw error;
  }
}

/** Of the partners in it, without a repeat: what tells of a database from before there was a place for its environment. */
export async function environmentsOfPartners(connection: Queryable): Promise<readonly string[]> {
  try {
    const { rows } = await connection.query<{ readonly environment: string }>({
      text: 'select distinct environment from partners',
    });
    return rows.map(({ environment }) => environment);
  } catch (error) {
    if (isNoSuchTable(error)) return [];
    throw error;
  }
}

/** Changes nothing that is on record. @returns what is on record then: another one, if that came first */
export async function recordEnvironment(
  database: Queryable,
  environment: string,
): Promise<string | undefined> {
  await database.query({
    text: `insert into service_environment (environment) values ($1) on conflict (is_only) do nothing`,
    values: [environment],
  });
  // A statement of its own: the one above does not see the row of whoever was faster.
  return readEnvironment(database);
}

function isNoSuchTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE;
}
