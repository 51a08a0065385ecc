// Limits the SDK's log to errors, because its lines would hide the test report.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { WORKFLOW_SOURCES } from '../../../src/main/worker/workflow-code';

/**
 * Call before the first worker of a test file. Further calls have no effect; nor has one in a
 * process where an earlier test file has failed and left its workers open.
 */
export function quietTemporal(): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'off' } },
  });
}

/** The workflow sources of the worker, without the bundler's progress messages. */
export const workflowsToTest = {
  ...WORKFLOW_SOURCES,
  logger: new DefaultLogger('ERROR'),
};
