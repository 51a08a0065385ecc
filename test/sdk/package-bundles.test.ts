// The packed SDK in the bundle of a partner: a bundler takes only what is imported (decision 117).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type OutputFile } from 'esbuild';
import { ROOT, TOOL_TIMEOUT_MS } from '../support/programs/fixture-project';
import { installPackedSdk, run, SDK_NAME, type InstalledSdk } from '../support/programs/packed-sdk';

const WEBHOOK_ONLY_MAX_BYTES = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'sdk-bundles-'));
let sdk: InstalledSdk;

beforeAll(() => {
  sdk = installPackedSdk(folder);
}, TOOL_TIMEOUT_MS);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** @returns the code of a program, minified with all that it imports, and the files in it */
async function bundle(program: string, platform: 'node' | 'browser' = 'node') {
  const entry = join(sdk.project, 'bundled.mjs');
  writeFileSync(entry, program);
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: sdk.project,
    platform,
    format: 'esm',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const [{ text, contents }] = outputFiles as [OutputFile];
  return { bytes: contents.length, files: inputs, text };
}

describe('a bundle that imports only verifyWebhook', () => {
  const PROGRAM = `import { verifyWebhook } from '${SDK_NAME}'; globalThis.verify = verifyWebhook;`;

  it('has under 10 000 bytes, and as many as the README says', async () => {
    const { bytes } = await bundle(PROGRAM);
    expect(bytes).toBeLessThan(WEBHOOK_ONLY_MAX_BYTES);
    const readme = readFileSync(join(sdk.project, 'node_modules', SDK_NAME, 'README.md'), 'utf8');
    expect(readme).toContain(`\`verifyWebhook\` alone is ${(bytes / 1_000).toFixed(1)} kB.`);
  });

  it('has no client, no session tokens and no package but the SDK', async () => {
    const { files } = await bundle(PROGRAM);
    const others = files.filter((file) => !file.startsWith(`node_modules/${SDK_NAME}/`));
    expect(others).toEqual(['bundled.mjs']);
    expect(files.filter((file) => /transport|client|token|explain/.test(file))).toEqual([]);
  });

  it('runs', async () => {
    const { text } = await bundle(`${PROGRAM}
      try { verifyWebhook('{}', {}, []); } catch (error) { console.log(error.reason); }`);
    writeFileSync(join(sdk.project, 'verify.mjs'), text);
    expect(run(process.execPath, ['verify.mjs'], sdk.project)).toBe('missing_header\n');
  });
});

it(
  'publint and "are the types wrong?" find no fault in the package',
  () => {
    const script = join(ROOT, 'test', 'support', 'programs', 'package-faults.mjs');
    const installed = join(sdk.project, 'node_modules', SDK_NAME);
    expect(JSON.parse(run(process.execPath, [script, installed, sdk.tarball], ROOT))).toEqual([]);
  },
  TOOL_TIMEOUT_MS,
);
