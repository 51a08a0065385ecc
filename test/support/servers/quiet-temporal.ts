// The SDK's log lines would bury the test report: only what is wrong is shown.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { WORKFLOW_SOURCES } from '../../../src/main/worker/workflow-code';

let isQuiet = false;

/** Before the first worker of a test file; repeated it changes nothing. */
export function quietTemporal(): void {
  if (isQuiet) return;
  isQuiet = true;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'off' } },
  });
}

/** The workflows as the worker bundles them, without the bundler's progress. */
export const workflowsToTest = {
  ...WORKFLOW_SOURCES,
  logger: new DefaultLogger('ERROR'),
};
