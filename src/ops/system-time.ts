// The one place where payctl reads a clock. Times that are stored, or compared with stored times,
// come from Postgres; all others come from this machine.
import { readOne, type Queryable } from '../postgres/database';

export function systemTime(): Date {
  return new Date();
}

export async function databaseTime(database: Queryable): Promise<Date> {
  const { now } = await readOne<{ readonly now: Date }>(database, {
    text: 'select service_now() as now',
  });
  return now;
}
