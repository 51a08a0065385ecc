// Every change of payctl's to partners and their keys is one transaction, and they happen one after another. What each of
// them reads first (how many keys are active, which slot is free) is therefore still so when it commits (decision 27).
import type { Database, Queryable } from '../postgres/database';

/**
 * The lock is the row that every such change raises at its first write anyway (migration 0005). It is taken before
 * anything else, so that no two changes can wait for each other in a ring.
 */
export function changeDirectory<Result>(
  database: Database,
  change: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.inTransaction(async (connection) => {
    await connection.query({ text: 'select version from directory_version for update' });
    return change(connection);
  });
}
