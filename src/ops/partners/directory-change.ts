// Every change of payctl's to partners, their keys and endpoints is one transaction, and they happen one after another.
// What each of them reads first (how many keys are active, which slot is free) is therefore still so when it commits
// (decision 27).
import { DomainError } from '../../domain/errors';
import type { Database, Queryable } from '../../postgres/database';

/** A worker that finishes webhooks and we may each wait for a row of the other's: Postgres ends one of the two. */
const DEADLOCK = '40P01';
const TRIES_MAX = 3;

/**
 * The lock is the row that every such change raises at its first write anyway (migration 0001). It is taken before
 * anything else, so that no two changes can wait for each other in a ring.
 * @param change may run again from the start, after all that it wrote was taken back
 */
export async function changeDirectory<Result>(
  database: Database,
  change: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await changeOnce(database, change);
    } catch (error) {
      if (tries >= TRIES_MAX || !isDeadlock(error)) throw error;
    }
  }
}

function changeOnce<Result>(
  database: Database,
  change: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.inTransaction(async (connection) => {
    await connection.query({ text: 'select version from directory_version for update' });
    return change(connection);
  });
}

function isDeadlock(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === DEADLOCK;
}
