// What a worker notices restores by (decision 127): its own memory of Postgres, and the watch that counts in Temporal.
import type { WorkerConfig } from '../../config';
import type { Log } from '../../ports/log';
import type { Queryable } from '../../postgres/database';
import { createLogPositions } from '../../postgres/payouts/log-position';
import { createRestoreGuard } from '../../postgres/payouts/restore-guard';
import { createRestoreWatch } from '../../postgres/payouts/restore-watch';
import { restoreWatchMaxAgeOf } from './settings';

export type RestoreWatching = ReturnType<typeof createRestoreWatching>;

export function createRestoreWatching(config: WorkerConfig, log: Log) {
  const maxAgeSeconds = restoreWatchMaxAgeOf(config);
  const options = { positions: createLogPositions(log), maxAgeSeconds, log };
  return {
    guard: createRestoreGuard(options),
    watchOver: (database: Queryable) => createRestoreWatch({ ...options, database }),
  };
}
