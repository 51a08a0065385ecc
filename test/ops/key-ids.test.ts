// "A new key gets a new key id with the next quarter" (spec, "Key rotation"; decision 13).
import fc from 'fast-check';
import { nextKeyId } from '../../src/ops/key-ids';

const ACME = { partnerId: 'acme', environment: 'sandbox', now: new Date('2026-11-21T00:00:00Z') };
const next = (...issued: readonly string[]) => nextKeyId({ ...ACME, issued });

it('is the quarter after the partner’s latest', () => {
  expect(next('acme_sandbox_2026q2')).toBe('acme_sandbox_2026q3');
});

it('goes from the fourth quarter of a year to the first of the next', () => {
  expect(next('acme_sandbox_2026q4')).toBe('acme_sandbox_2027q1');
  expect(next('acme_sandbox_9999q4')).toBe('acme_sandbox_10000q1');
  expect(next('acme_sandbox_10000q1', 'acme_sandbox_9999q4')).toBe('acme_sandbox_10000q2');
});

it('goes by the quarter in the id, in whatever order keys were issued', () => {
  expect(next('acme_sandbox_2027q1', 'acme_sandbox_2026q4')).toBe('acme_sandbox_2027q2');
});

it('begins with the current quarter where there is none', () => {
  expect(next()).toBe('acme_sandbox_2026q4');
  const newYear = new Date('2027-01-01T00:00:00Z');
  expect(nextKeyId({ ...ACME, issued: [], now: newYear })).toBe('acme_sandbox_2027q1');
});

it.each([
  'test_key_001',
  'acme_sandbox_2026q5',
  'acme_sandbox_2026q0',
  'acme_sandbox_2026q1x',
  'acme_sandbox_026q1',
  'acme_prod_2030q1',
  'acme-two_sandbox_2030q1',
  'xacme_sandbox_2030q1',
])('passes over an id of another format: %s', (keyId) => {
  expect(next(keyId)).toBe('acme_sandbox_2026q4');
  expect(next(keyId, 'acme_sandbox_2026q1')).toBe('acme_sandbox_2026q2');
});

it('never gives an id twice, however often it is asked', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true, min: new Date(0) }), (now) => {
      const issued: string[] = [];
      for (let count = 0; count < 9; count += 1) {
        issued.push(nextKeyId({ ...ACME, issued, now }));
      }
      expect(new Set(issued).size).toBe(9);
      expect(issued.join()).toMatch(/^(acme_sandbox_\d{4,}q[1-4],?){9}$/);
    }),
  );
});
