// Checks, without waiting, whether a statement would have to wait for another transaction.
import type { Database, Queryable } from '../../../src/postgres/database';

/** If the attempt need not wait, its changes are committed. */
export async function wouldWait(
  database: Database,
  attempt: (connection: Queryable) => Promise<unknown>,
): Promise<boolean> {
  return database
    .inTransaction(async (connection) => {
      await connection.query({ text: `set local lock_timeout = '1ms'` });
      await attempt(connection);
      return false;
    })
    .catch((error: unknown) => {
      if (isLockTimeout(error)) return true;
      throw error;
    });
}

function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === '55P03';
}
