// Caches the workflow bundle in `.local` under a hash of all its sources, so that a worker starts,
// and above all restarts after a kill, without bundling.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTask, type TaskContext } from '../stack/own-process';
import { ROOT } from '../tools';

/**
 * The files that a workflow may import at run time (.dependency-cruiser.cjs), and the file that
 * bundles them.
 */
const SOURCES = [
  ...['workflows', 'src/domain', 'src/corridors'],
  'src/main/worker/workflow-code.ts',
];
const PACKAGES = [
  ...['worker', 'workflow', 'common', 'interceptors-opentelemetry'].map(
    (name) => `@temporalio/${name}`,
  ),
  '@opentelemetry/sdk-trace-base',
];

/** Returns the path of a bundle of the current sources; builds it if it is not cached. */
export async function workflowBundle(context: TaskContext): Promise<string> {
  const folder = join(context.directory, 'bundle');
  const path = join(folder, `workflows-${sourcesDigest()}.js`);
  if (existsSync(path)) return path;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const script = 'src/dev/package/bundle-workflows.ts';
  await runTask({ name: 'bundle', script, args: [path] }, context);
  return path;
}

function sourcesDigest(): string {
  const hash = createHash('sha256').update(process.version);
  const manifests = PACKAGES.map((name) => `node_modules/${name}/package.json`);
  for (const file of [...manifests, ...SOURCES.flatMap(filesIn)]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(source: string): readonly string[] {
  if (source.endsWith('.ts')) return [source];
  const entries = readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' });
  return entries
    .filter((entry) => entry.endsWith('.ts'))
    .sort()
    .map((entry) => join(source, entry));
}
