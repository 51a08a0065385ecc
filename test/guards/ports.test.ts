// test/contracts/README.md names the test suites of every port.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';

const page = readFileSync(join(ROOT, 'test/contracts/README.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| '));
const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The interfaces that each file of src/ports exports. */
const exported = readdirSync(join(ROOT, 'src/ports')).map((file) => {
  const text = readFileSync(join(ROOT, 'src/ports', file), 'utf8');
  return [...text.matchAll(/^export interface (\w+)/gm)].map(([, name = '']) => name);
});

it('names ports of every file of src/ports, and no others', () => {
  const named = rows.flatMap((row) => codeIn(row.split('|')[1]));
  expect(exported.filter((names) => !names.some((name) => named.includes(name)))).toEqual([]);
  expect(named.filter((name) => !exported.flat().includes(name))).toEqual([]);
});

it('names only suites that exist', () => {
  const suites = rows.flatMap((row) => codeIn(row.split('|')[3]));
  expect(suites.length).toBeGreaterThan(15);
  expect(suites.filter((suite) => !existsSync(join(ROOT, `test/${suite}.test.ts`)))).toEqual([]);
});
