// Protocol 3.2: the signature covers five components. A signed request is rejected if any of them
// was altered on its way.
import fc from 'fast-check';
import { pathOf } from '../../support/app';
import { withApi } from '../../support/brackets';
import { NOON, secondsAfter } from '../../support/clock';
import { sign } from '../../support/payments/partner';

const { app, partner, intent } = withApi();
let path: string;
beforeAll(() => {
  path = pathOf(intent);
});

const aNonce = fc.stringMatching(/^[0-9a-f]{64}$/);
const aBody = fc.uint8Array({ maxLength: 48 }).map((bytes) => Buffer.from(bytes));
/** Every format of every instant that step 3 accepts. */
const aTimestamp = fc
  .tuple(fc.integer({ min: -300_000, max: 300_000 }), fc.constantFrom('Z', 'z', '+00:00'))
  .map(([ms, zone]) =>
    secondsAfter(NOON, ms / 1_000)
      .toISOString()
      .replace('Z', zone),
  );
const aSentRequest = fc.record({ timestamp: aTimestamp, nonce: aNonce, body: aBody });

type Component = 'method' | 'path' | 'timestamp' | 'nonce' | 'body';

/** Values that a component had when it was signed, for a request sent as a GET of {@link path}. */
const SIGNED: Readonly<Record<Component, fc.Arbitrary<string | Buffer>>> = {
  method: fc.oneof(fc.constantFrom('POST', 'get', 'HEAD', 'GET '), fc.string({ unit: 'binary' })),
  path: fc.oneof(
    fc.constantFrom('/', '?', '#', '%20', ' ', '\n').map((end) => path + end),
    fc.nat({ max: 40 }).map((at) => path.slice(0, at) + path.slice(at + 1)),
    fc.string({ unit: 'binary' }),
  ),
  timestamp: aTimestamp,
  nonce: aNonce,
  body: aBody,
};

describe('a signed request', () => {
  it('is accepted as it was signed', async () => {
    await fc.assert(
      fc.asyncProperty(aSentRequest, async (sent) => {
        const headers = sign(partner, { method: 'GET', path, ...sent });
        expect(await app.send({ path, headers, body: sent.body })).toMatchObject({ status: 200 });
      }),
      { numRuns: 50 },
    );
    expect(app.rejections).toEqual([]);
  });

  it.each(Object.keys(SIGNED) as Component[])(
    'is rejected for its signature when its %s was altered',
    async (component) => {
      await fc.assert(
        fc.asyncProperty(aSentRequest, SIGNED[component], async (sent, other) => {
          const asSent = { method: 'GET', path, ...sent };
          fc.pre(Buffer.compare(Buffer.from(asSent[component]), Buffer.from(other)) !== 0);
          const { 'X-Service-Signature': signature = '' } = sign(partner, {
            ...asSent,
            [component]: other,
          });
          const headers = { ...sign(partner, asSent), 'X-Service-Signature': signature };
          expect(await app.send({ path, headers, body: sent.body })).toMatchObject({ status: 401 });
        }),
        { numRuns: 50 },
      );
      expect(new Set(app.rejections)).toEqual(new Set(['signature_wrong']));
    },
  );
});
