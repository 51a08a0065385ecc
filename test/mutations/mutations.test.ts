// Every mutation still fits the source. A changed source line that a mutation quotes fails here,
// long before `npm run test:mutations`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/programs/fixture-project';
import { MUTATIONS } from './mutations';
import { mutated, mutatedSql } from './workshop';

describe('the mutations', () => {
  it.each(MUTATIONS)('$name: its find text occurs once in its file', (mutation) => {
    const text = readFileSync(join(ROOT, mutation.file), 'utf8');
    expect(mutated(text, mutation)).not.toBe(text);
  });

  it.each(MUTATIONS)('$name: its test files exist', ({ tests }) => {
    expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('have unique names', () => {
    expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
  });

  it.each(MUTATIONS.filter(({ file }) => file.endsWith('.sql')))(
    '$name: replaces a function or a trigger',
    (mutation) => {
      const sql = mutatedSql(readFileSync(join(ROOT, mutation.file), 'utf8'), mutation);
      expect(sql).toMatch(/^create or replace (function|trigger) /);
      expect(sql).toContain(mutation.replace);
      expect(sql).not.toContain(mutation.find);
    },
  );

  it.each([
    ['never', 'abc', 'x'],
    ['twice', 'abxab', 'ab'],
  ])('are rejected when their find text occurs %s in the file', (_times, text, find) => {
    const tests: [string] = ['f.test.ts'];
    const mutation = { name: 'm', file: 'f.ts', find, replace: '', tests, mustFail: '' };
    expect(() => mutated(text, mutation)).toThrow('must occur once');
  });
});
