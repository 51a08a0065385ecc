// Runs every change to partners, their keys and endpoints as one transaction, one after another.
// Facts that a change reads first, such as which slot is free, are therefore still true when it
// commits (decision 27).
import { DomainError, systemCodeOf } from '../../domain/errors';
import type { Database, Queryable } from '../../postgres/database';

/** We and a worker that finishes webhooks can wait for each other's row: Postgres then ends one. */
const DEADLOCK = '40P01';
const TRIES_MAX = 3;

/**
 * Locks the row that every such change updates at its first write anyway (migration 0001). It is
 * locked before anything else, so that no two changes can wait for each other.
 * @param change may run again from the start, after a rollback of everything that it wrote
 */
export function changeDirectory<Result>(
  database: Database,
  change: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  return repeatDeadlocked(database, async (connection) => {
    await connection.query({ text: 'select lock_directory()' });
    return change(connection);
  });
}

/** For what stops or repeats: it waits for no other command. */
export async function repeatDeadlocked<Result>(
  database: Database,
  change: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.inTransaction(change);
    } catch (error) {
      if (tries >= TRIES_MAX || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return systemCodeOf(error instanceof DomainError ? error.cause : error) === DEADLOCK;
}
