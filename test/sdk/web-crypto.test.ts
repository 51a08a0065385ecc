// Web Crypto makes the published hashes and signatures, as Node's crypto does (protocol 3 and 7).
import fc from 'fast-check';
import {
  canonicalRequest,
  isEqualInConstantTime,
  signCanonicalRequest,
  signWebhook,
} from '../../src/sdk/web-crypto';
import { isEqualInConstantTime as isEqualByNode } from '../../src/signing/hmac';
import { readVectors } from '../signing/vectors';

const { requests, webhooks } = readVectors();

it.each(requests)('the request of the vectors is signed as published: $name', async (vector) => {
  const body = Buffer.from(vector.body);
  const canonical = await canonicalRequest({ ...vector, body });
  expect(canonical).toBe(vector.canonical);
  expect(await signCanonicalRequest(canonical, vector.secret)).toBe(vector.signature);
});

it.each(webhooks)('the webhook of the vectors is signed as published: $name', async (vector) => {
  expect(await signWebhook(vector, vector.secret)).toBe(vector.signature);
  const bytes = { ...vector, body: Buffer.from(vector.body) };
  expect(await signWebhook(bytes, vector.secret)).toBe(vector.signature);
});

it('two texts are equal exactly when Node finds them equal in constant time', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 50 });
  fc.assert(
    fc.property(anyText, anyText, fc.nat(50), (left, right, at) => {
      const changed = `${left.slice(0, at)}\u0001${left.slice(at + 1)}`;
      for (const other of [left, right, changed, `${left}\0`, left.slice(0, -1), '']) {
        expect(isEqualInConstantTime(left, other)).toBe(isEqualByNode(left, other));
        expect(isEqualInConstantTime(other, left)).toBe(isEqualByNode(other, left));
      }
    }),
  );
});
