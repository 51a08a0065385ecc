// Recognises a connection pooler such as PgBouncer. Our prepared statements, settings and locks
// belong to a session, which a pooler may give to another client between two transactions.
import { readOne, type Queryable } from './database';

/**
 * Whether the process that was announced when the connection was made is not the one that answers.
 * A pooler announces a number of its own, by which clients cancel.
 */
export async function isPooled(connection: Queryable): Promise<boolean> {
  const { pid } = await readOne<{ readonly pid: number }>(connection, {
    text: 'select pg_backend_pid() as pid',
  });
  const announced = 'processID' in connection ? connection.processID : pid;
  return announced !== pid;
}
