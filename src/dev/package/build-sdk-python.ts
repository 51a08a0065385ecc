// `npm run build:sdk:python [-- FOLDER]`: builds the Python SDK as a wheel, by default in
// dist/sdk-python (decision 117). pip builds in a temporary environment, so python3 with pip is all
// that it needs.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../tools';
import { readManifest, reportFailure } from './manifest';

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist', 'sdk-python'));

function buildWheel(): string {
  if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0) {
    throw new Error('The Python SDK is built by python3 with pip: install Python 3.9 or later.');
  }
  rmSync(folder, { recursive: true, force: true });
  const source = join(ROOT, 'src', 'sdk', 'python');
  const args = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', folder, source];
  const { status } = spawnSync('python3', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('pip could not build the Python SDK: see above.');
  return builtWheel();
}

/** @throws Error when the versions differ, because both SDKs are of one release */
function builtWheel(): string {
  const { version } = readManifest();
  const wheel = join(folder, `payment_intents-${version}-py3-none-any.whl`);
  if (existsSync(wheel)) return wheel;
  throw new Error(
    `pip made no wheel of version ${version}: give src/sdk/python/pyproject.toml that version.`,
  );
}

try {
  console.log(`built the Python SDK; to hand it over: ${buildWheel()}`);
} catch (error) {
  reportFailure(error);
}
