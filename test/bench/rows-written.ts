// How many rows anybody wrote in a database, by Postgres' own statistics.
import { until } from '../../src/dev/until';
import type { Database } from '../../src/postgres/database';

/** A server process of Postgres reports what it has counted when it ends, at the latest: so all others are ended first. */
export async function countRowsWritten(database: Database): Promise<number> {
  const isAlone = async () => {
    const { rows } = await database.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
              where backend_type = 'client backend' and datname = current_database() and pid <> pg_backend_pid()`,
    });
    return rows.length === 0;
  };
  if (!(await until(isAlone, { timeoutMs: 10_000 }))) throw new Error('a connection does not end');
  await database.query({ text: 'select pg_stat_force_next_flush()' });
  const { rows } = await database.query<{ readonly written: number }>({
    text: `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as written from pg_stat_user_tables`,
  });
  return rows[0]?.written ?? Number.NaN;
}
