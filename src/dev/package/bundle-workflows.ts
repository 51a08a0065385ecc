// A child program of `npm start`: writes the workflow bundle to the given path.
import { renameSync, writeFileSync } from 'node:fs';
import { bundleWorkflows } from '../../main/worker/workflow-code';

const [, , path] = process.argv;
if (path === undefined) throw new Error('usage: bundle-workflows.ts PATH');
void bundleWorkflows().then((code) => {
  writeFileSync(`${path}.part`, code);
  renameSync(`${path}.part`, path);
});
