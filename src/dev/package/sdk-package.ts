// Builds the partner SDK as a package (decision 117): its code in one file, its types in one file,
// a README and a manifest, and nothing else of this repository.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { build, type BuildOptions } from 'esbuild';
import { z } from 'zod';
import { ROOT } from '../tools';

const NAME = '@payment-intents/sdk';
const SOURCE = join(ROOT, 'src', 'sdk');
const ENTRY = join(SOURCE, 'index.ts');

const manifestSchema = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: z.object({ jose: z.string(), 'jsonc-parser': z.string() }),
});

/** Replaces `folder` with exactly the files that `npm pack` packs. */
export async function buildSdkPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await writeCode(folder);
  writeTypes(folder);
  cpSync(join(SOURCE, 'README.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

const BUNDLE: BuildOptions = {
  absWorkingDir: ROOT,
  entryPoints: [ENTRY],
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['jose', 'jsonc-parser'],
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * The code is CommonJS, and the ES module re-exports it: a program that loads both has one
 * `ApiError` class, so that `instanceof` works.
 */
async function writeCode(folder: string): Promise<void> {
  await build({ ...BUNDLE, format: 'cjs', outfile: join(folder, 'index.js') });
  const names = await exportedNames();
  writeFileSync(
    join(folder, 'index.mjs'),
    `export {\n${names.map((name) => `  ${name},\n`).join('')}} from './index.js';\n`,
  );
}

async function exportedNames(): Promise<readonly string[]> {
  const { metafile } = await build({ ...BUNDLE, format: 'esm', write: false, metafile: true });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}

/** One file of types that exports only what index.ts exports. */
function writeTypes(folder: string): void {
  const [types = ''] = generateDtsBundle(
    [{ filePath: ENTRY, output: { noBanner: true, exportReferencedTypes: false } }],
    { preferredConfigPath: join(ROOT, 'tsconfig.json') },
  );
  writeFileSync(join(folder, 'index.d.ts'), types);
  writeFileSync(join(folder, 'index.d.mts'), "export * from './index.js';\n");
}

function manifest(): object {
  const ours = manifestSchema.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  return {
    name: NAME,
    version: ours.version,
    description:
      'Payment intents for partners: signed requests, session tokens, key sets, the checkout address, webhooks.',
    license: ours.license,
    // `index.js` is CommonJS, so that old tools, which read only `main`, can load it.
    type: 'commonjs',
    main: './index.js',
    types: './index.d.ts',
    exports: {
      '.': {
        import: { types: './index.d.mts', default: './index.mjs' },
        require: { types: './index.d.ts', default: './index.js' },
      },
      './package.json': './package.json',
    },
    files: ['index.js', 'index.mjs', 'index.d.ts', 'index.d.mts'],
    sideEffects: false,
    engines: { node: '>=20.12' },
    dependencies: {
      jose: `^${ours.dependencies.jose}`,
      'jsonc-parser': `^${ours.dependencies['jsonc-parser']}`,
    },
    // Prevents an accidental public release.
    publishConfig: { access: 'restricted' },
  };
}
