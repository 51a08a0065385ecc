// The one place where payctl reads a clock. Times that are stored, or compared with stored times,
// come from Postgres; all others come from this machine.
import type { Queryable } from '../postgres/database';

export function systemTime(): Date {
  return new Date();
}

export async function databaseTime(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ readonly now: Date }>({
    text: 'select service_now() as now',
  });
  if (rows[0] === undefined) throw new Error('the database returned no time');
  return rows[0].now;
}
