// "One suite per port, run against the sandbox simulator and the real adapter alike": test/contracts/README.md says for every
// port which suite that is.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../support/fixture-project';

const page = readFileSync(join(ROOT, 'test/contracts/README.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));
const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

it('names every port, and no other', () => {
  const ports = readdirSync(join(ROOT, 'src/ports')).map((file) => basename(file, '.ts'));
  const named = rows.flatMap((row) => codeIn(row.split('|')[1] ?? ''));
  expect(named.sort()).toEqual(ports.sort());
});

it('names suites that are there', () => {
  const suites = rows.flatMap((row) => {
    const [first = '', ...more] = codeIn(row.split('|')[3] ?? '');
    const folder = first.startsWith('test/')
      ? first.slice(0, first.lastIndexOf('/'))
      : 'test/contracts';
    const names = [first, ...more]
      .filter((name) => name !== '')
      .map((name) => basename(name, '.test.ts'));
    return names.map((name) => `${folder}/${name}.test.ts`);
  });
  expect(suites.length).toBeGreaterThan(rows.length);
  expect(suites.filter((suite) => !existsSync(join(ROOT, suite)))).toEqual([]);
});
