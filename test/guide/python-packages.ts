// A Python with the pinned packages of test/sdk/python, for what a partner installs by pip.
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';
import { run } from '../support/programs/packed-sdk';

export const PYTHON_TESTS = join(ROOT, 'test', 'sdk', 'python');

/** @returns the path of its interpreter */
export function pythonWithPackages(): string {
  const install = join(ROOT, 'test', 'contract', 'install.mjs');
  const printed = run(process.execPath, [install, join(PYTHON_TESTS, 'requirements.txt')], ROOT);
  return printed.trim().split('\n').at(-1) ?? '';
}
