// The worker's connections to Temporal. It waits for a server that is not up yet: a worker can do
// nothing without one, and the workflow repairer finds what was created meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type LogEntry } from '@temporalio/worker';
import type { WorkerConfig } from '../../config/config';
import type { Log } from '../../ports/observe';
import type { Queryable } from '../../postgres/database';
import {
  callWithin,
  connectionOptions,
  connectTemporal,
  type TemporalSettings,
} from '../../temporal/connection';
import { warnOfMissingAttributes } from '../../temporal/namespace';
import { claimNamespace } from '../../temporal/namespace-claim';
import { isVerified, ownClaim } from '../namespace';
import type { CoreMetrics } from './core-metrics';

export interface TemporalConnections {
  /** For calls to the server. */
  readonly client: Client;
  /** For the SDK's workers. */
  readonly connection: NativeConnection;
  /** Claims the namespace unless it is ours already, and so keeps the restore watch running. */
  readonly claim: () => Promise<void>;
}

const RETRY_AFTER_MS = 1_000;

/** @throws ConfigError when the namespace is another installation's, or of another baseline */
export async function connectWorker(
  config: WorkerConfig,
  database: Queryable,
  log: Log,
  core: CoreMetrics,
): Promise<TemporalConnections> {
  const { temporal } = config;
  const client = connectTemporal(temporal, log);
  installRuntime(core, log);
  const connection = await connectNative(temporal, log);
  const readOwn = ownClaim(config, database);
  const claim = () => callWithin(client, () => claimNamespace(client, readOwn));
  // Before the first task is taken.
  while (!(await isVerified(claim, log))) await pause(RETRY_AFTER_MS);
  await warnOfMissingAttributes(client, log);
  return { client, connection, claim };
}

function installRuntime({ telemetry }: CoreMetrics, log: Log): void {
  Runtime.install({
    // src/main/process.ts handles the signals.
    shutdownSignals: [],
    // All lines go into our log, those of Core too.
    logger: new DefaultLogger('WARN', forwardTo(log)),
    telemetryOptions: {
      metrics: telemetry,
      logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
    },
  });
}

async function connectNative(temporal: TemporalSettings, log: Log): Promise<NativeConnection> {
  for (;;) {
    try {
      return await NativeConnection.connect(connectionOptions(temporal));
    } catch (error) {
      log.warn(
        { err: error, address: temporal.address },
        'Temporal is not reachable; trying again',
      );
      await pause(RETRY_AFTER_MS);
    }
  }
}

function forwardTo(log: Log): (entry: LogEntry) => void {
  return ({ level, message, meta }) => {
    // Our log writes an error in full only by this name.
    const { error, ...others }: Record<string, unknown> = meta ?? {};
    const fields = { sdk: true, ...others, ...(error !== undefined && { err: error }) };
    if (level === 'ERROR') log.error(fields, message);
    else log.warn(fields, message);
  };
}
