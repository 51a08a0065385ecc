// How a worker notices that Postgres or Temporal was restored (decision 127): by its own mark
// in Postgres, and by the watch workflow that counts in Temporal.
import type { WorkerConfig } from '../../config/config';
import type { Log } from '../../ports/observe';
import type { Queryable } from '../../postgres/database';
import { createRestoreGuard, createRestoreWatch } from '../../postgres/payouts/restores';
import { keepVerified } from '../namespace';
import type { Loop, WorkerParts } from './parts';
import { restoreWatchMaxAgeOf } from './settings';

export function createRestores(config: WorkerConfig, log: Log) {
  const maxAgeSeconds = restoreWatchMaxAgeOf(config);
  const options = { maxAgeSeconds, log };
  const guard = createRestoreGuard(options);
  return {
    guard,
    watchOver: (database: Queryable) => createRestoreWatch({ ...options, database }),
    loopsOf: ({ database, metrics, temporal: { claim } }: WorkerParts): readonly Loop[] => [
      { run: (stop) => keepVerified(claim, log, stop) },
      { run: (stop) => guard.run(database, stop, metrics.restoreGuardFailed) },
    ],
  };
}
