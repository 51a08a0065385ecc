// test/contracts/README.md names the test suites of every port.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';

const page = readFileSync(join(ROOT, 'test/contracts/README.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| '));
const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

it('names exactly the ports of src/ports', () => {
  const ports = readdirSync(join(ROOT, 'src/ports'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''));
  const named = rows.flatMap((row) => codeIn(row.split('|')[1]));
  expect(named.sort()).toEqual(ports.sort());
});

it('names only suites that exist', () => {
  const suites = rows.flatMap((row) => codeIn(row.split('|')[3]));
  expect(suites.length).toBeGreaterThan(15);
  expect(suites.filter((suite) => !existsSync(join(ROOT, `test/${suite}.test.ts`)))).toEqual([]);
});
