// Waits until another transaction is blocked by this one, so that a test can force a race.
import type { Queryable } from '../../src/postgres/database';

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
