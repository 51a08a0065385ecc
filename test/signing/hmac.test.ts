// The HMAC and its comparison (protocol 3.3, and step 5 of protocol 3.4).
import fc from 'fast-check';
import { hmacSha256Hex, isEqualInConstantTime, signCanonicalRequest } from '../../src/signing/hmac';
import { readVectors, requestNamed } from './vectors';

describe('the signature', () => {
  it.each(readVectors().requests)('is the published one: $name', (vector) => {
    expect(signCanonicalRequest(vector.canonical, vector.secret)).toBe(vector.signature);
  });

  it.each(readVectors().not_equal)('differs from that of the mistake $name', (mistake) => {
    const { canonical, signature, secret } = requestNamed(mistake.of);
    const made = signCanonicalRequest(mistake.canonical, secret);
    const isMade = mistake.signature === made;
    const isEncodedDifferently = mistake.canonical === canonical;
    expect([isMade, isEncodedDifferently].filter(Boolean)).toHaveLength(1);
    expect(isEqualInConstantTime(signature, mistake.signature)).toBe(false);
  });
});

describe('the comparison in constant time', () => {
  it('agrees with comparing the bytes, also for different lengths', () => {
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

  it('treats another base64 form of the same bytes as different', () => {
    const signature = signCanonicalRequest('request', 'secret');
    expect(isEqualInConstantTime(signature, signature.replace(/=$/, ''))).toBe(false);
  });
});

it('the HMAC of a body in hex is that of RFC 4231, test case 2', () => {
  expect(hmacSha256Hex(Buffer.from('what do ya want for nothing?'), 'Jefe')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
