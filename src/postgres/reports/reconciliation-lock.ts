// Allows one reconciliation of a database at a time. A second one would mark the findings of the
// first as its own, and the first would then count none and call the books clean (decision 130).
import { readOne, type Queryable } from '../database';

/** The key of an advisory lock, which counts within one database. */
const RECONCILIATION_LOCK = 130_000_001;

/**
 * @returns whether the lock was free. It belongs to the connection, and ends with it at the latest.
 */
export async function lockReconciliation(connection: Queryable): Promise<boolean> {
  const { isLocked } = await readOne<{ readonly isLocked: boolean }>(connection, {
    text: 'select pg_try_advisory_lock($1) as "isLocked"',
    values: [RECONCILIATION_LOCK],
  });
  return isLocked;
}

/**
 * Postgres notices a closed connection only a moment later: without this, an immediate repeat could
 * be rejected.
 */
export async function unlockReconciliation(connection: Queryable): Promise<void> {
  await connection.query({
    text: 'select pg_advisory_unlock($1)',
    values: [RECONCILIATION_LOCK],
  });
}
