// The mistakes that the harness must find still fit the code: whoever changes a line that one of them alters hears of it
// here, long before `npm run chaos:mutations`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutated } from '../../mutations/workshop';
import { ROOT } from '../../support/fixture-project';
import { anEvidence } from '../invariants/evidence-of';
import { findingsOf } from '../invariants/violated';
import { drawSchedule } from '../schedule';
import { createSecretSearch } from '../secrets';
import { CHAOS_MISTAKES } from './mistakes';

const MISTAKES = CHAOS_MISTAKES.map((mistake) => [mistake.name, mistake] as const);
const INVARIANTS = [...findingsOf(anEvidence()), createSecretSearch(new Map()).finding()].map(
  ({ name }) => name,
);

describe('the deliberate mistakes', () => {
  it.each(MISTAKES)('%s: its text stands once in its file', (_name, mistake) => {
    const text = readFileSync(join(ROOT, mistake.file), 'utf8');
    expect(mutated(text, mistake)).not.toBe(text);
  });

  it.each(MISTAKES)('%s: the invariant that it violates is checked', (_name, { mustViolate }) => {
    expect(INVARIANTS).toContain(mustViolate);
  });

  it.each(MISTAKES)('%s: its faults are drawn', (_name, { only, seconds }) => {
    const faults = drawSchedule({ seed: 1, seconds, only });
    expect(faults.length > 0).toBe(!only.includes('none'));
  });

  it('have names of their own', () => {
    expect(new Set(MISTAKES.map(([name]) => name)).size).toBe(MISTAKES.length);
  });
});
