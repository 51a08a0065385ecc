// The packages that production installs have licences that a company may use without asking.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/observe/version';
import { ROOT } from '../support/programs/fixture-project';

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'Unlicense',
]);
/** Its package.json names none; its file LICENSE is the Unlicense. */
const WITHOUT_FIELD = ['node_modules/unionfs'];

function json(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

it('every package of production has a licence that is allowed', () => {
  const { packages } = json('package-lock.json') as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const installed = Object.entries(packages).filter(([name, { dev }]) => name !== '' && !dev);
  expect(installed.length).toBeGreaterThan(50);
  const others = installed.filter(
    ([name, { license }]) => !isAllowed(license) && !WITHOUT_FIELD.includes(name),
  );
  expect(others.map(([name, { license }]) => [name, license])).toEqual([]);
});

/** `MIT OR GPL-3.0`: one of them is enough. `Apache-2.0 AND MIT`: both count. */
function isAllowed(license = ''): boolean {
  const choices = license.replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one)));
}

it('the logs name the version of package.json', () => {
  const { version } = json('package.json') as { readonly version: string };
  expect(VERSION).toBe(version);
});
