// Spec, "Request signing": the canonical request.
import fc from 'fast-check';
import {
  bodyDigest,
  canonicalRequest,
  type SignableRequest,
} from '../../src/signing/canonical-request';
import { readVectors } from './vectors';

const component = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\n'));
const aRequest: fc.Arbitrary<SignableRequest> = fc.record({
  method: component,
  path: component,
  timestamp: component,
  nonce: component,
  body: fc.uint8Array({ maxLength: 64 }),
});

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
