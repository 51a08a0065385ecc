// A child program of the setup: makes the Temporal SDK download one of its servers into a folder.
// The SDK has no call that only downloads, so the server is started once and stopped again, which
// also proves that it runs here.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [, , kind, version, downloadDir] = process.argv;
const executable = { type: 'cached-download', version, downloadDir, ttl: '365d' };
const server = kind === 'dev-server' ? { executable } : { executable, type: kind };

try {
  const environment = await (kind === 'dev-server'
    ? TestWorkflowEnvironment.createLocal({ server })
    : TestWorkflowEnvironment.createTimeSkipping({ server }));
  await environment.teardown();
} catch (error) {
  process.stderr.write(`${reason(error)}\n`);
  process.exitCode = 1;
}

/** @param {unknown} error */
function reason(error) {
  const message = error instanceof Error ? error.message : String(error);
  return message.includes('error sending request') ? 'its server cannot be reached' : message;
}
