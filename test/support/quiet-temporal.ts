// The SDK's log lines would bury the test report: only what is wrong is shown.
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Once per test file, before the first worker. */
export function quietTemporal(): void {
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'off' } },
  });
}

/** The workflows as the worker bundles them, without the bundler's progress. */
export const workflowsToTest = {
  workflowsPath: join(__dirname, '..', '..', 'workflows'),
  logger: new DefaultLogger('ERROR'),
};
