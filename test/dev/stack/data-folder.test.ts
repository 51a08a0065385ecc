// The data folder of a clone: a start uses only data that its own schema and workflows made.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireOurBaseline } from '../../../src/dev/stack/data-folder';
import { StartError } from '../../../src/dev/stack/start-error';
import { ourBaseline } from '../../../src/postgres/baseline';
import { ourIdentity } from '../../../src/dev/stack/processes';
import { takeStartLock } from '../../../src/dev/stack/start-lock';
import { withFolder } from '../setup/scripts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);

it('gets the baseline of its first start, and the next start accepts it', () => {
  requireOurBaseline(folder);
  expect(readFileSync(file('baseline'), 'utf8').trim()).toBe(ourBaseline());
  writeFileSync(file('secrets.json'), '{}');
  expect(() => {
    requireOurBaseline(folder);
  }).not.toThrow();
});

it.each([
  ['before baselines', undefined],
  ['another baseline', '0123456789abcdef'],
])('is rejected with data of %s, with the command to type, and is not changed', (_of, baseline) => {
  if (baseline !== undefined) writeFileSync(file('baseline'), baseline);
  writeFileSync(file('secrets.json'), 'as it was');
  const start = () => {
    requireOurBaseline(folder);
  };
  expect(start).toThrow(StartError);
  expect(start).toThrow(`mv ${folder} ${folder}.before`);
  expect(readFileSync(file('secrets.json'), 'utf8')).toBe('as it was');
  expect(existsSync(file('baseline'))).toBe(baseline !== undefined);
});

it('without data is taken over by another build', () => {
  writeFileSync(file('baseline'), '0123456789abcdef');
  requireOurBaseline(folder);
  expect(readFileSync(file('baseline'), 'utf8').trim()).toBe(ourBaseline());
});

// One `npm start` per clone (architecture, section 7): a second start gets the owner; the lock of a
// killed start is taken over.
describe('the start lock', () => {
  it('is not available while its owner lives, and is free after that', () =>
    withFolder((folder) => {
      const first = takeStartLock(folder);
      expect(takeStartLock(folder)).toEqual({ isOurs: false, owner: ourIdentity() });
      if (first.isOurs) first.release();
      expect(takeStartLock(folder).isOurs).toBe(true);
      return Promise.resolve();
    }));

  it.each([
    ['of a process that is gone', { pid: 4_194_000, startedAt: 'once' }],
    ['whose pid belongs to another process by now', { pid: process.pid, startedAt: 'long ago' }],
    ['that holds nonsense', 'nonsense'],
  ])('%s is taken over', (_case, owner) =>
    withFolder((folder) => {
      writeFileSync(join(folder, 'start.lock'), JSON.stringify(owner));
      expect(takeStartLock(folder).isOurs).toBe(true);
      return Promise.resolve();
    }),
  );
});
