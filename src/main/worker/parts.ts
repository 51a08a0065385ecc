// The parts of a worker process that every subject beside this file builds on.
import type { WorkerConfig } from '../../config/config';
import type { createWorkerMetrics } from '../../observe/worker-metrics';
import type { Log } from '../../ports/observe';
import type { Database } from '../../postgres/database';
import type { Around } from '../around';
import type { Tracing } from '../start-tracing';
import type { TemporalConnections } from './connect';
import type { Outbounds } from './outbounds';

export interface WorkerParts {
  readonly config: WorkerConfig;
  readonly log: Log;
  readonly database: Database;
  readonly temporal: TemporalConnections;
  readonly outbounds: Outbounds;
  readonly metrics: ReturnType<typeof createWorkerMetrics>;
  readonly around: Around;
  readonly tracing: Tracing;
}

/** Work that repeats until the signal is aborted. */
export interface Loop {
  run(stop: AbortSignal): Promise<void>;
}
