// The one place where payctl reads a clock: that of its own machine, or that of Postgres for whatever is stored or compared.
import type { Queryable } from '../postgres/database';

export function systemTime(): Date {
  return new Date();
}

export async function databaseTime(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ readonly now: Date }>({
    text: 'select service_now() as now',
  });
  if (rows[0] === undefined) throw new Error('the database tells no time');
  return rows[0].now;
}
