// The deliberate mistakes still fit the code: whoever changes a line that one of them alters hears of it here, long before
// `npm run test:mutations`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anEvidence, findingsOf } from '../chaos/invariants/evidence-of';
import { drawSchedule } from '../chaos/faults/schedule';
import { createSecretSearch } from '../chaos/report/secrets';
import { ROOT } from '../support/programs/fixture-project';
import { CHAOS_MUTATIONS, TEST_MUTATIONS } from './mutations';
import { mutated } from './workshop';

const ALL = [...TEST_MUTATIONS, ...CHAOS_MUTATIONS];
const INVARIANTS = [...findingsOf(anEvidence()), createSecretSearch(new Map()).finding()].map(
  ({ name }) => name,
);

describe('the deliberate mistakes', () => {
  it.each(ALL)('$name: its text stands once in its file', (mutation) => {
    const text = readFileSync(join(ROOT, mutation.file), 'utf8');
    expect(mutated(text, mutation)).not.toBe(text);
  });

  it.each(TEST_MUTATIONS)('$name: its tests are there', ({ tests }) => {
    expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it.each(CHAOS_MUTATIONS)(
    '$name: its invariant is checked, and its faults are drawn',
    ({ mustViolate, only, seconds }) => {
      expect(INVARIANTS).toContain(mustViolate);
      const faults = drawSchedule({ seed: 1, seconds, only });
      expect(faults.length > 0).toBe(!only.includes('none'));
    },
  );

  it('have names of their own', () => {
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it('are made in no migration: the database of all of them is made from the true ones', () => {
    expect(ALL.filter(({ file }) => file.endsWith('.sql'))).toEqual([]);
  });

  it.each([
    ['never', 'abc', 'x'],
    ['twice', 'abxab', 'ab'],
  ])('are refused when their text stands in the file %s', (_times, text, find) => {
    const mistake = {
      name: 'm',
      file: 'f.ts',
      find,
      replace: '',
      only: [],
      seconds: 1,
      mustViolate: '',
    };
    expect(() => mutated(text, mistake)).toThrow('not once');
  });
});
