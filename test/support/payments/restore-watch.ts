// The restore watch of a worker.
import { createLogPositions } from '../../../src/postgres/payouts/log-position';
import type { Queryable } from '../../../src/postgres/database';
import { createRestoreWatch } from '../../../src/postgres/payouts/restore-watch';
import { SILENT } from '../silent-log';

/** @param maxAgeSeconds default null, as in a sandbox, where the age stops nothing */
export function restoreWatchOn(database: Queryable, maxAgeSeconds: number | null = null) {
  const positions = createLogPositions(SILENT);
  return createRestoreWatch({ database, positions, maxAgeSeconds, log: SILENT });
}
