// When the setup installs packages: a program of the test plays npm, and nothing is fetched.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../support/programs/fixture-project';
import { withFolder } from './scripts';

const PACKAGES = pathToFileURL(join(ROOT, 'src/dev/setup/packages.mjs')).href;
const WANTED = {
  'node_modules/one': { version: '1.0.0' },
  'node_modules/two': { version: '2.0.0' },
};
const lockOf = (packages: object) => JSON.stringify({ packages });

/** It installs what the lock file names, and notes that it ran. */
const NPM = `
  const { copyFileSync, mkdirSync, writeFileSync } = require('node:fs');
  mkdirSync('node_modules', { recursive: true });
  copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
  writeFileSync('npm-ran', '');`;

/** Whether the setup of this clone runs npm; in a child program, since Jest loads no ES modules. */
async function installs(clone: string): Promise<boolean> {
  const npm = join(clone, 'npm.js');
  writeFileSync(npm, NPM);
  const program = `
    import { installPackages } from ${JSON.stringify(PACKAGES)};
    await installPackages(process.cwd());`;
  const args = ['--input-type=module', '--eval', program];
  await promisify(execFile)(process.execPath, args, { cwd: clone, env: { npm_execpath: npm } });
  const hasRun = existsSync(join(clone, 'npm-ran'));
  rmSync(join(clone, 'npm-ran'), { force: true });
  return hasRun;
}

it('installs the packages once, and again after npm has removed some', () =>
  withFolder(async (clone) => {
    writeFileSync(join(clone, 'package-lock.json'), lockOf(WANTED));
    expect([await installs(clone), await installs(clone)]).toEqual([true, false]);
    const pruned = lockOf({ 'node_modules/one': WANTED['node_modules/one'] });
    writeFileSync(join(clone, 'node_modules', '.package-lock.json'), pruned);
    expect([await installs(clone), await installs(clone)]).toEqual([true, false]);
  }));

it('installs nothing where a person has installed the same by hand', () =>
  withFolder(async (clone) => {
    writeFileSync(join(clone, 'package-lock.json'), lockOf(WANTED));
    mkdirSync(join(clone, 'node_modules'));
    writeFileSync(join(clone, 'node_modules', '.package-lock.json'), lockOf(WANTED));
    expect(await installs(clone)).toBe(false);
  }));
