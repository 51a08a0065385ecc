// The worker's connection to Temporal. It waits for a server that is not up yet: nothing can be done without one, and
// what was created meanwhile is found by the reconciler.
import { setTimeout as pause } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime, type LogEntry } from '@temporalio/worker';
import type { Log } from '../../ports/log';

const TRY_AGAIN_AFTER_MS = 1_000;

export async function connectWorker(address: string, log: Log): Promise<NativeConnection> {
  // Our own process life handles signals; the SDK's log lines go into ours.
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN', forwardTo(log)) });
  for (;;) {
    try {
      return await NativeConnection.connect({ address });
    } catch (error) {
      log.warn({ err: error, address }, 'Temporal is not reachable; trying again');
      await pause(TRY_AGAIN_AFTER_MS);
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
