// The restore watch and the restore guard of a worker.
import type { Queryable } from '../../../src/postgres/database';
import { createRestoreGuard, createRestoreWatch } from '../../../src/postgres/payouts/restores';
import { SILENT } from '../silent-log';

/** @param maxAgeSeconds default null, as in a sandbox, where the age stops nothing */
export function restoreWatchOn(database: Queryable, maxAgeSeconds: number | null = null) {
  return createRestoreWatch({ database, maxAgeSeconds, log: SILENT });
}

/** The guard of a worker that has just started, without a mark in Postgres. */
export function newGuard(maxAgeSeconds: number | null = null) {
  return createRestoreGuard({ maxAgeSeconds, log: SILENT });
}
