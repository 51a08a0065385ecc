// Which keys of a published key set are used (protocol 4.5; decision 110).
import { readKeySet, type SkippedKey } from '../../src/signing/published-keys';
import { aSessionKey } from '../support/payments/partner';

const [one, two] = [aSessionKey('one'), aSessionKey('two')];

const kidsIn = (keys: readonly unknown[]) => [...readKeySet({ keys }).keys()];

function skippedIn(keys: readonly unknown[]): readonly SkippedKey[] {
  const reported: SkippedKey[] = [];
  readKeySet({ keys }, (skipped) => reported.push(...skipped));
  return reported;
}

describe('a published key is skipped', () => {
  const small = aSessionKey('one', 1_024).jwk;

  it.each<[string, unknown]>([
    ['for encryption', [{ ...one.jwk, use: 'enc' }]],
    ['without use', [{ ...one.jwk, use: undefined }]],
    ['of another algorithm', [{ ...one.jwk, alg: 'RS512' }]],
    ['without alg', [{ ...one.jwk, alg: undefined }]],
    ['of another type', [{ ...one.jwk, kty: 'EC' }]],
    ['without kid', [{ ...one.jwk, kid: undefined }]],
    ['of less than 2048 bits', [small]],
    ['with an exponent of 1', [{ ...one.jwk, e: 'AQ' }]],
    ['with an exponent of 3', [{ ...one.jwk, e: 'Aw' }]],
    ['with an even exponent', [{ ...one.jwk, e: 'AQAC' }]],
    ['without an exponent', [{ ...one.jwk, e: '' }]],
    ['with an exponent of 5 bytes', [{ ...one.jwk, e: 'AQAAAAE' }]],
    ['with an even modulus', [{ ...one.jwk, n: Buffer.alloc(256, 0xfe).toString('base64url') }]],
    ['of more than 8192 bits', [{ ...one.jwk, n: Buffer.alloc(1_025, 1).toString('base64url') }]],
    ['padded to look like 2048 bits', [{ ...small, n: padded(small) }]],
    ['whose kid two keys have', [one.jwk, { ...two.jwk, kid: 'one' }]],
    ['whose kid three keys have', [one.jwk, { ...two.jwk, kid: 'one' }, one.jwk]],
    ['with private members', [{ ...one.jwk, d: 'AQAB' }]],
    ['with a private member that is null', [{ ...one.jwk, oth: null }]],
    ['whose private members are published beside it', [one.jwk, { ...one.jwk, kid: 'x', p: 'A' }]],
    [
      'whose private members are published in any form',
      [one.jwk, { ...ofNumbers(one.jwk), d: '' }],
    ],
    ['whose modulus is not base64url', [{ ...one.jwk, n: '***' }]],
    ['that is not an object', ['one', null, 7]],
    ['in a set that is not a list', { one: one.jwk }],
  ])('%s', (_name, keys) => {
    expect(() => readKeySet({ keys })).toThrow('the key set ');
  });

  it('after the first hundred, which are used', () => {
    const ninetyNine = Array.from({ length: 99 }, (_, n) => ({ kid: `other ${String(n)}` }));
    expect(kidsIn([...ninetyNine, one.jwk, two.jwk])).toEqual(['one']);
  });

  it.each([
    [256, '💡'.repeat(256), true],
    [257, 'k'.repeat(257), false],
  ])('only with a kid of over 256 characters: %d', (_length, kid, isFound) => {
    expect(kidsIn([{ ...one.jwk, kid }, two.jwk])).toEqual(isFound ? [kid, 'two'] : ['two']);
  });

  it('only as a repeat where it is listed again, in any spelling of its numbers', () => {
    const again = { ...one.jwk, n: padded(one.jwk, 258) };
    expect(kidsIn([one.jwk, one.jwk, again])).toEqual(['one']);
    expect(skippedIn([one.jwk, one.jwk, again])).toEqual([]);
  });

  it('and is reported with its reason', () => {
    const kid = '\n"'.repeat(200);
    const keys = [
      ...[two.jwk, { ...one.jwk, kid: 'two' }, { ...one.jwk, use: 'enc' }],
      ...[{ kid }, null, { ...two.jwk, kid: 'x', dp: 'AQAB' }, one.jwk],
      ...Array<unknown>(94).fill(one.jwk),
    ];
    expect(kidsIn(keys)).toEqual(['one']);
    const REVEALED = 'its private members are published: anybody can sign';
    expect(skippedIn(keys)).toEqual([
      { name: 'key 1 "two"', why: REVEALED },
      { name: 'key 2 "two"', why: 'another key has the same kid' },
      { name: 'key 3 "one"', why: 'its use is not sig' },
      { name: `key 4 ${JSON.stringify(kid.slice(0, 64))}`, why: 'its kty is not RSA' },
      { name: 'key 5 ""', why: 'its kty is not RSA' },
      { name: 'key 6 "x"', why: REVEALED },
      { name: 'key 101 "one"', why: 'a set has too many keys' },
    ]);
  });

  it('alone: the good keys beside it are used', () => {
    expect(kidsIn([{ kid: 'bad' }, one.jwk, null])).toEqual(['one']);
  });
});

function padded({ n = '' }: { readonly n?: unknown }, bytes = 256): string {
  const modulus = Buffer.from(String(n), 'base64url');
  return Buffer.concat([Buffer.alloc(bytes - modulus.length), modulus]).toString('base64url');
}

function ofNumbers({ n, e }: { readonly n?: unknown; readonly e?: unknown }) {
  return { n, e };
}
