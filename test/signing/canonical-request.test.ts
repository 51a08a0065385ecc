// Protocol 3.2: the canonical request.
import fc from 'fast-check';
import {
  bodyDigest,
  canonicalRequest,
  type SignableRequest,
} from '../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../src/signing/hmac';
import { readVectors } from './vectors';

/** More values than request lines and headers can have: only a newline is excluded. */
const component = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\n'));
const aRequest = requestOf(component, fc.uint8Array({ maxLength: 64 }));
/** So small that two are often equal, or often equal when joined without separators. */
const aSmallRequest = requestOf(
  fc.string({ unit: fc.constantFrom('a', '/', ' ', '\r', '\u2028'), maxLength: 2 }),
  fc.uint8Array({ maxLength: 1, max: 1 }),
);

function requestOf(
  text: fc.Arbitrary<string>,
  body: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<SignableRequest> {
  return fc.record({ method: text, path: text, timestamp: text, nonce: text, body });
}

const partsOf = ({ method, path, timestamp, nonce, body }: SignableRequest) =>
  JSON.stringify([method, path, timestamp, nonce, [...body]]);

describe('the canonical request', () => {
  it.each(readVectors().requests)('is the published one: $name', (vector) => {
    const body = Buffer.from(vector.body);
    expect(canonicalRequest({ ...vector, body })).toBe(vector.canonical);
    expect(bodyDigest(body)).toBe(vector.body_digest);
  });

  it('joins five components by single newlines, in the order of protocol 3.2', () => {
    fc.assert(
      fc.property(aRequest, (request) => {
        const { method, path, timestamp, nonce, body } = request;
        const components = canonicalRequest(request).split('\n');
        expect(components).toEqual([method, path, timestamp, nonce, bodyDigest(body)]);
      }),
    );
  });

  it('is equal for two requests only if they are equal, and so is the signature', () => {
    fc.assert(
      fc.property(aSmallRequest, aSmallRequest, (left, right) => {
        const isSame = partsOf(left) === partsOf(right);
        const [one, two] = [canonicalRequest(left), canonicalRequest(right)];
        expect(one === two).toBe(isSame);
        const signatures = [one, two].map((text) => signCanonicalRequest(text, 'secret'));
        expect(signatures[0] === signatures[1]).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});
