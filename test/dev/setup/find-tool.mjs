// A child program of find-tool.test.ts, because Jest cannot load ES modules. It searches for the
// tool in the environment, both given as JSON, and prints the result or the message of the failure.
import { SetupError } from '../../../src/dev/setup/progress.mjs';
import { findTool } from '../../../src/dev/setup/temporal.mjs';

const [, , tool = '{}', environment = '{}'] = process.argv;

try {
  const found = await findTool(JSON.parse(tool), {
    root: process.cwd(),
    environment: JSON.parse(environment),
    before: undefined,
  });
  process.stdout.write(`\n${JSON.stringify(found)}\n`);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stdout.write(`\n${JSON.stringify({ failure: error.message })}\n`);
}
