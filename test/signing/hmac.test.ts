// Protocol 3.3, and step 5 of protocol 3.4.
import fc from 'fast-check';
import { isEqualInConstantTime, signCanonicalRequest } from '../../src/signing/hmac';
import { readVectors, requestNamed } from './vectors';

describe('the signature', () => {
  it.each(readVectors().requests)('is the published one: $name', (vector) => {
    expect(signCanonicalRequest(vector.canonical, vector.secret)).toBe(vector.signature);
  });

  it.each(readVectors().not_equal)('is not what a mistake yields: $name', (mistake) => {
    const { canonical, signature, secret } = requestNamed(mistake.of);
    const made = signCanonicalRequest(mistake.canonical, secret);
    const isMade = mistake.signature === made;
    const isSpelledOtherwise = mistake.canonical === canonical;
    expect([isMade, isSpelledOtherwise].filter(Boolean)).toHaveLength(1);
    expect(isEqualInConstantTime(signature, mistake.signature)).toBe(false);
  });
});

describe('the comparison in constant time', () => {
  it('agrees with comparing the bytes, also for sides of different lengths', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (left, right) => {
        expect(isEqualInConstantTime(left, right)).toBe(Buffer.compare(left, right) === 0);
        expect(isEqualInConstantTime(left, Uint8Array.from(left))).toBe(true);
      }),
    );
  });

  it('compares texts with bytes by their UTF-8', () => {
    expect(isEqualInConstantTime('é', Buffer.from('é'))).toBe(true);
  });

  it('does not take another base64 spelling of the same bytes for equal', () => {
    const signature = signCanonicalRequest('request', 'secret');
    expect(isEqualInConstantTime(signature, signature.replace(/=$/, ''))).toBe(false);
  });
});
