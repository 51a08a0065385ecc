// `npm run build:sdk [-- FOLDER]`: builds the partner SDK as a package, by default in dist/sdk, and
// packs it beside that folder as the file that npm installs (decision 117): its code as ES modules
// and as CommonJS, the types of each, a program that checks an environment or a receiver, README,
// guide and protocol, and a manifest, and nothing else of this repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { build, type BuildOptions, type PluginBuild } from 'esbuild';
import { ROOT } from '../tools';
import { readManifest, reportFailure, shownPath, versionOf, writeManifest } from './manifest';
import { writePages } from './pages';

const NAME = '@payment-intents/sdk';
const SOURCE = join(ROOT, 'src', 'sdk');

/** What a partner may import: `index` is the package, another one its subpath. */
const ENTRIES = ['index', 'edge'];
const ENTRY_FILES = ENTRIES.map((name) => join(SOURCE, `${name}.ts`));

/** The folder of the ES modules. */
const MODULES = 'esm';
const PROGRAM = 'conformance/conformance';

/**
 * Replaces `folder` with exactly the files that `npm pack` packs.
 * @returns the name of the packed file, beside the folder
 */
async function buildSdkPackage(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await Promise.all([writeModules(folder), writeCommonJs(folder), writeProgram(folder)]);
  writeTypes(folder);
  writePages(folder, 'src/sdk/README.md');
  writeManifest(folder, manifest());
  const pack = ['pack', folder, '--pack-destination', dirname(folder), '--loglevel=error'];
  return execFileSync('npm', pack, { encoding: 'utf8' }).trim();
}

const DEPENDENCIES = ['jose', 'jsonc-parser'];
const BUNDLE: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: DEPENDENCIES,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * One file for each of ours, because a bundler drops a whole file more readily than a part of one:
 * in one file, `verifyWebhook` alone would also bring `jsonc-parser`.
 */
async function writeModules(folder: string): Promise<void> {
  const finding = { write: false, metafile: true, outdir: folder } as const;
  const found = await build({ ...BUNDLE, ...finding, entryPoints: ENTRY_FILES });
  await build({
    ...BUNDLE,
    format: 'esm',
    entryPoints: Object.keys(found.metafile.inputs),
    outbase: join(ROOT, 'src'),
    outdir: join(folder, MODULES),
    outExtension: { '.js': '.mjs' },
    plugins: [{ name: 'separate-files', setup: keepSeparate }],
  });
}

function keepSeparate(bundler: PluginBuild): void {
  bundler.onResolve({ filter: /^\.\.?\// }, ({ path, kind }) =>
    kind === 'entry-point' ? undefined : { path: `${path}.mjs`, external: true },
  );
}

async function writeCommonJs(folder: string): Promise<void> {
  await build({ ...BUNDLE, format: 'cjs', entryPoints: ENTRY_FILES, outdir: folder });
}

/** It imports the code of the package by the path that it has in the sources. */
async function writeProgram(folder: string): Promise<void> {
  await build({
    ...BUNDLE,
    entryPoints: [join(SOURCE, `${PROGRAM}.ts`)],
    external: [...DEPENDENCIES, '../index'],
    format: 'cjs',
    outfile: join(folder, `${PROGRAM}.js`),
  });
}

/** One file of types for each entry and module system. It has only what the entry exports. */
function writeTypes(folder: string): void {
  const output = { noBanner: true, exportReferencedTypes: false };
  const texts = generateDtsBundle(
    ENTRY_FILES.map((filePath) => ({ filePath, output })),
    { preferredConfigPath: join(ROOT, 'tsconfig.json') },
  );
  for (const [index, text] of texts.entries()) {
    const name = join(folder, ENTRIES[index] ?? '');
    for (const extension of ['.d.ts', '.d.mts']) writeFileSync(`${name}${extension}`, text);
  }
}

function manifest(): object {
  const { version, license } = readManifest();
  return {
    name: NAME,
    version,
    description:
      'Payment intents for partners: signed requests, session tokens, key sets, the checkout address, webhooks.',
    license,
    // `index.js` is CommonJS, so that old tools, which read only `main`, can load it.
    type: 'commonjs',
    main: './index.js',
    types: './index.d.ts',
    exports: {
      ...Object.fromEntries(ENTRIES.map((name) => [subpathOf(name), conditionsOf(name)])),
      './package.json': './package.json',
    },
    bin: { 'payment-intents-conformance': `./${PROGRAM}.js` },
    files: ['*.js', '*.d.ts', '*.d.mts', MODULES, 'conformance', 'docs'],
    sideEffects: false,
    engines: { node: '>=20.12' },
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, `^${versionOf(name)}`])),
    // Prevents an accidental public release.
    publishConfig: { access: 'restricted' },
  };
}

const subpathOf = (name: string) => (name === 'index' ? '.' : `./${name}`);

function conditionsOf(name: string): object {
  return {
    import: { types: `./${name}.d.mts`, default: `./${MODULES}/sdk/${name}.mjs` },
    require: { types: `./${name}.d.ts`, default: `./${name}.js` },
  };
}

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist', 'sdk'));

buildSdkPackage(folder).then((file) => {
  console.log(`to hand over the SDK: ${shownPath(join(dirname(folder), file))}`);
}, reportFailure);
