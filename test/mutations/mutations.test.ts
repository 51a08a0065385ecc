// Every mutation still fits the source. A changed source line that a mutation quotes fails here,
// long before `npm run test:mutations`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anEvidence, findingsOf } from '../chaos/invariants/evidence-of';
import { drawSchedule } from '../chaos/faults/schedule';
import { createSecretSearch } from '../chaos/report/secrets';
import { ROOT } from '../support/programs/fixture-project';
import { SHOWN_WITH } from './lives';
import { CHAOS_MUTATIONS, TEST_MUTATIONS } from './mutations';
import { NOT_SHOWN } from './not-shown';
import { isExecuted } from './simulation-run';
import { mutated } from './workshop';

const ALL = [...TEST_MUTATIONS, ...CHAOS_MUTATIONS];
const INVARIANTS = [...findingsOf(anEvidence()), createSecretSearch(new Map()).finding()].map(
  ({ name }) => name,
);

describe('the mutations', () => {
  it.each(ALL)('$name: its find text occurs once in its file', (mutation) => {
    const text = readFileSync(join(ROOT, mutation.file), 'utf8');
    expect(mutated(text, mutation)).not.toBe(text);
  });

  it.each(TEST_MUTATIONS)('$name: its test files exist', ({ tests }) => {
    expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it.each(CHAOS_MUTATIONS)(
    '$name: chaos checks its invariant and draws its faults',
    ({ mustViolate, only, seconds }) => {
      expect(INVARIANTS).toContain(mustViolate);
      const faults = drawSchedule({ seed: 1, seconds, only });
      expect(faults.length > 0).toBe(!only.includes('none'));
    },
  );

  it('have unique names', () => {
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it('are simulated, or no life shows them for one reason', () => {
    const executed = ALL.filter(isExecuted).map(({ name }) => name);
    const named = [...Object.keys(SHOWN_WITH), ...Object.values(NOT_SHOWN).flat()];
    expect(named.filter((name) => !executed.includes(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('change no migration, because all of them share one database made from the real ones', () => {
    expect(ALL.filter(({ file }) => file.endsWith('.sql'))).toEqual([]);
  });

  it.each([
    ['never', 'abc', 'x'],
    ['twice', 'abxab', 'ab'],
  ])('are rejected when their find text occurs %s in the file', (_times, text, find) => {
    const mutation = {
      name: 'm',
      file: 'f.ts',
      find,
      replace: '',
      only: [],
      seconds: 1,
      mustViolate: '',
    };
    expect(() => mutated(text, mutation)).toThrow('must occur once');
  });
});
