// How a worker notices that Postgres or Temporal was restored (decision 127): by what it has read
// of Postgres itself, and by the watch workflow that counts in Temporal.
import type { WorkerConfig } from '../../config';
import type { Log } from '../../ports/log';
import type { Queryable } from '../../postgres/database';
import { createLogPositions } from '../../postgres/payouts/log-position';
import { createRestoreGuard } from '../../postgres/payouts/restore-guard';
import { createRestoreWatch } from '../../postgres/payouts/restore-watch';
import { keepRestoreWatch } from '../../temporal/restore-watch-start';
import type { Loop, WorkerParts } from './parts';
import { restoreWatchMaxAgeOf } from './settings';

export function createRestores(config: WorkerConfig, log: Log) {
  const maxAgeSeconds = restoreWatchMaxAgeOf(config);
  const options = { positions: createLogPositions(log), maxAgeSeconds, log };
  const guard = createRestoreGuard(options);
  return {
    guard,
    watchOver: (database: Queryable) => createRestoreWatch({ ...options, database }),
    loopsOf: ({ database, temporal: { client, baseline } }: WorkerParts): readonly Loop[] => [
      { run: (stop) => keepRestoreWatch({ client, baseline, log }, stop) },
      { run: (stop) => guard.run(database, stop) },
    ],
  };
}
