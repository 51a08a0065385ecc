// "With a key the intent id is an HMAC of partner and key under a value of the installation"
// (decision 14).
import * as fc from 'fast-check';
import { parseIntentId, type PartnerId } from '../../src/domain/ids';
import { createInstallation } from '../../src/signing/installation';

const ACME = 'acme' as PartnerId;
const OTHER = 'other' as PartnerId;
const here = createInstallation(Buffer.alloc(32, 1));
const elsewhere = createInstallation(Buffer.alloc(32, 2));

const aKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 256,
});

it('the same partner and key have the same id, which is a well-formed intent id', () => {
  fc.assert(
    fc.property(aKey, (key) => {
      const id = here.intentIdOf(ACME, key);
      expect(here.intentIdOf(ACME, key)).toBe(id);
      expect(parseIntentId(id)).toBe(id);
    }),
  );
});

it('another key of the partner has another id', () => {
  fc.assert(
    fc.property(aKey, aKey, (one, two) => {
      fc.pre(one !== two);
      expect(here.intentIdOf(ACME, one)).not.toBe(here.intentIdOf(ACME, two));
    }),
  );
});

it('another partner with the same key has another id', () => {
  expect(here.intentIdOf(ACME, 'order-1')).not.toBe(here.intentIdOf(OTHER, 'order-1'));
});

it('another installation has other intent ids and another installation id', () => {
  expect(elsewhere.intentIdOf(ACME, 'order-1')).not.toBe(here.intentIdOf(ACME, 'order-1'));
  expect(elsewhere.id).not.toBe(here.id);
  expect(here.id).toMatch(/^[0-9a-f]{32}$/);
});

it('the id is the first 128 bits of HMAC-SHA256 over the words, separated by NUL', () => {
  // By `printf 'intent\0acme\0order-1' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101…01`.
  expect(here.intentIdOf(ACME, 'order-1')).toBe('pi_3aq7spd855ep2zfp2k0hraht8y');
});
