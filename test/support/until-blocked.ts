// Wait until a transaction is blocked, so that a test can force a race.
import type { Queryable } from '../../src/postgres/database';

/** Until this connection blocks another. */
export async function untilBlocked(connection: Queryable): Promise<void> {
  let isBlocked = false;
  while (!isBlocked) {
    const { rows } = await connection.query<{ readonly pid: number }>({
      text: `select pid from pg_locks
              where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
    });
    isBlocked = rows.length > 0;
  }
}

/** Until the server process waits for a lock that any other holds. */
export async function untilWaiting(connection: Queryable, pid: number): Promise<void> {
  let isWaiting = false;
  while (!isWaiting) {
    const { rows } = await connection.query({
      text: 'select from pg_locks where not granted and pid = $1',
      values: [pid],
    });
    isWaiting = rows.length > 0;
  }
}
