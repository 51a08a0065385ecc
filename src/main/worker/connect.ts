// The worker's connections to Temporal. It waits for a server that is not up yet: a worker can do
// nothing without one, and the workflow repairer finds what was created meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type LogEntry } from '@temporalio/worker';
import type { WorkerConfig } from '../../config';
import type { Log } from '../../ports/log';
import { ourBaseline } from '../../postgres/baseline';
import { connectTemporal } from '../../temporal/connection';
import { hasOtherBaseline } from '../../temporal/restore-watch-start';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import { otherWorkflows } from '../other-environment';

export interface TemporalConnections {
  /** For calls to the server. */
  readonly client: Client;
  /** For the SDK's workers. */
  readonly connection: NativeConnection;
  /** The baseline of this build's workflows. */
  readonly baseline: string;
}

const RETRY_AFTER_MS = 1_000;

/** @throws ConfigError when the namespace has open workflows of another baseline */
export async function connectWorker(config: WorkerConfig, log: Log): Promise<TemporalConnections> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = config;
  const client = connectTemporal({ address, namespace });
  const connection = await connectNative(address, log);
  const baseline = ourBaseline();
  if (await hasOtherBaseline(client, baseline)) throw otherWorkflows(namespace);
  await registerSearchAttributes(client.connection, namespace);
  return { client, connection, baseline };
}

async function connectNative(address: string, log: Log): Promise<NativeConnection> {
  // src/main/process.ts handles the signals; the SDK's log lines go into our log.
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN', forwardTo(log)) });
  for (;;) {
    try {
      return await NativeConnection.connect({ address });
    } catch (error) {
      log.warn({ err: error, address }, 'Temporal is not reachable; trying again');
      await pause(RETRY_AFTER_MS);
    }
  }
}

function forwardTo(log: Log): (entry: LogEntry) => void {
  return ({ level, message, meta }) => {
    const fields = { sdk: true, ...meta };
    if (level === 'ERROR') log.error(fields, message);
    else log.warn(fields, message);
  };
}
