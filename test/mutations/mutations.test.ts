// The deliberate mistakes still fit the code: whoever changes a line that one of them alters hears of it here, long before
// `npm run test:mutations`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/fixture-project';
import { MUTATIONS } from './mutations';
import { mutated } from './workshop';

describe('the deliberate mistakes', () => {
  it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
    '%s: its text stands once in its file, and its tests are there',
    (_name, mutation) => {
      const text = readFileSync(join(ROOT, mutation.file), 'utf8');
      expect(mutated(text, mutation)).not.toBe(text);
      expect(mutation.tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    },
  );

  it('have names of their own', () => {
    const names = MUTATIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are made in no migration: the database of all of them is made from the true ones', () => {
    expect(MUTATIONS.filter(({ file }) => file.endsWith('.sql'))).toEqual([]);
  });

  it.each([
    ['never', 'abc', 'x'],
    ['twice', 'abxab', 'ab'],
  ])('are refused when their text stands in the file %s', (_times, text, find) => {
    const mistake = { name: 'm', file: 'f.ts', find, replace: '' };
    expect(() => mutated(text, mistake)).toThrow('not once');
  });
});
