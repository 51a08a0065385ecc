// A child program of `npm start`: writes the workflow bundle to the given path.
import { renameSync, writeFileSync } from 'node:fs';
import { bundleWorkflows } from '../../main/worker/workflow-code';

const [, , path] = process.argv;

async function main(target: string): Promise<void> {
  const scratch = `${target}.part`;
  writeFileSync(scratch, await bundleWorkflows());
  renameSync(scratch, target);
}

if (path === undefined) throw new Error('usage: bundle-workflows.ts PATH');
main(path).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
