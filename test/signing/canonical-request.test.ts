// Spec, "Request signing": the canonical request.
import fc from 'fast-check';
import {
  bodyDigest,
  canonicalRequest,
  type SignableRequest,
} from '../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../src/signing/hmac';
import { readVectors } from './vectors';

/** More than a request line or a header can hold, since neither can hold a newline. */
const component = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\n'));
const aRequest = requestOf(component, fc.uint8Array({ maxLength: 64 }));
/** Made of so little that two of them are often equal, and often share the text across a border. */
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

  it('joins five components by single newlines, in the order of the specification', () => {
    fc.assert(
      fc.property(aRequest, (request) => {
        const { method, path, timestamp, nonce, body } = request;
        const components = canonicalRequest(request).split('\n');
        expect(components).toEqual([method, path, timestamp, nonce, bodyDigest(body)]);
      }),
    );
  });

  it.each(['method', 'path', 'timestamp', 'nonce'] as const)(
    'differs when the %s differs',
    (name) => {
      fc.assert(
        fc.property(aRequest, component, (request, other) => {
          fc.pre(other !== request[name]);
          expect(canonicalRequest({ ...request, [name]: other })).not.toBe(
            canonicalRequest(request),
          );
        }),
      );
    },
  );

  it('differs when the body differs by a byte', () => {
    fc.assert(
      fc.property(aRequest, fc.uint8Array({ maxLength: 64 }), (request, other) => {
        fc.pre(Buffer.compare(other, request.body) !== 0);
        expect(canonicalRequest({ ...request, body: other })).not.toBe(canonicalRequest(request));
      }),
    );
  });

  it('is shared by two requests only if they are the same, and so is the signature', () => {
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

  it('keeps every border: text moved from one component into the next makes another', () => {
    const four = fc.tuple(component, component, component, component);
    fc.assert(
      fc.property(four, fc.nat({ max: 2 }), fc.nat(), (texts, border, cut) => {
        const [left = '', right = ''] = texts.slice(border, border + 2);
        const at = left.length === 0 ? 0 : cut % left.length;
        fc.pre(at < left.length);
        const moved = texts
          .with(border, left.slice(0, at))
          .with(border + 1, left.slice(at) + right);
        expect(canonicalOf(moved)).not.toBe(canonicalOf(texts));
      }),
    );
  });

  it('does not confuse neighbours that share a text', () => {
    const request = { timestamp: 't', nonce: 'n', body: new Uint8Array() };
    const one = canonicalRequest({ ...request, method: 'POST/', path: 'v1' });
    expect(canonicalRequest({ ...request, method: 'POST', path: '/v1' })).not.toBe(one);
  });

  it('has the empty string for an empty body, and 64 lowercase hex characters for any other', () => {
    expect(bodyDigest(new Uint8Array())).toBe('');
    expect(bodyDigest(Buffer.from('{}'))).toMatch(/^[0-9a-f]{64}$/);
  });
});

function canonicalOf([method = '', path = '', timestamp = '', nonce = '']: readonly string[]) {
  return canonicalRequest({ method, path, timestamp, nonce, body: new Uint8Array() });
}
