// Callbacks of TransFi: signed over their exact bytes, and only a hint which payment to query.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { createProviderOutbound } from '../../../src/http/provider-outbound';
import { createTransFiProvider } from '../../../src/providers/transfi/provider';
import { KEY, REFERENCE } from './one-answer';
import { CREDENTIALS } from './simulator';

const outbound = createProviderOutbound();
afterAll(() => outbound.close());
const provider = createTransFiProvider(outbound, {
  ...{ baseUrl: 'http://127.0.0.1:9', token: JSON.stringify(CREDENTIALS) },
});

const NAME = 'x-transfi-hmac-hash';
const order = { orderId: REFERENCE, partnerId: KEY, status: 'fund_settled' };
const BODY = JSON.stringify({ entityType: 'order', entityId: REFERENCE, status: 'x', order });

const hashOf = (body: string, secret = CREDENTIALS.webhook_secret) =>
  createHmac('sha256', secret).update(body).digest('hex');
const read = (headers: Record<string, string | readonly string[]>, body = BODY) =>
  provider.readCallback?.(headers, Buffer.from(body));
const readSigned = (body: string) => read({ [NAME]: hashOf(body) }, body);

describe('a callback with the right signature', () => {
  it('says which payment it is about, and nothing of its outcome', () => {
    expect(readSigned(BODY)).toEqual({ key: KEY, reference: REFERENCE });
    expect(read({ [NAME]: hashOf(BODY).toUpperCase() })).toEqual({
      ...{ key: KEY, reference: REFERENCE },
    });
  });

  it.each([
    ['only its own id', { entityId: REFERENCE }, { key: null, reference: REFERENCE }],
    ['only our key', { order: { partnerId: KEY } }, { key: KEY, reference: null }],
    ['the id of a user', { entityId: 'UX-1', order }, { key: KEY, reference: null }],
  ])('may name %s', (_what, body, hint) => {
    expect(readSigned(JSON.stringify(body))).toEqual(hint);
  });

  it.each([
    ['no payment', '{"entityType":"user","entityId":"UX-1"}'],
    ['a member twice', BODY.replace('{', `{"entityId":"OR-2",`)],
    ['no JSON', 'entityId=OR-1'],
    ['nothing', ''],
    ['a list', `[${BODY}]`],
    ['bytes that are not UTF-8', `${BODY}\ud800`],
  ])('is not read if it has %s', (_what, body) => {
    expect(readSigned(body)).toBeUndefined();
  });
});

describe('a callback', () => {
  it.each<[string, Record<string, string | readonly string[]>]>([
    ['without a signature', {}],
    ['with an empty signature', { [NAME]: '' }],
    ['with two signatures', { [NAME]: [hashOf(BODY), hashOf(BODY)] }],
    ['with two signatures in one', { [NAME]: `${hashOf(BODY)}, ${hashOf(BODY)}` }],
    ['with the signature of another body', { [NAME]: hashOf(`${BODY} `) }],
    ['with the signature by another secret', { [NAME]: hashOf(BODY, 'another') }],
    ['with the signature by an empty secret', { [NAME]: hashOf(BODY, '') }],
    ['with the signature by the password', { [NAME]: hashOf(BODY, CREDENTIALS.password) }],
    ['with a part of the signature', { [NAME]: hashOf(BODY).slice(0, 32) }],
    ['with the signature and more', { [NAME]: `${hashOf(BODY)}00` }],
    ['with the signature in another header', { 'x-signature': hashOf(BODY) }],
    [
      'with the signature in base64',
      { [NAME]: Buffer.from(hashOf(BODY), 'hex').toString('base64') },
    ],
  ])('%s is not read', (_what, headers) => {
    expect(read(headers)).toBeUndefined();
  });

  it('that was altered in any one byte is not read', () => {
    const bytes = Buffer.from(BODY);
    const change = fc.tuple(
      fc.integer({ min: 0, max: bytes.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
    );
    fc.assert(
      fc.property(change, ([at, by]) => {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] ?? 0) ^ by;
        expect(provider.readCallback?.({ [NAME]: hashOf(BODY) }, altered)).toBeUndefined();
      }),
    );
  });

  it('with the same members in other bytes is not read', () => {
    expect(read({ [NAME]: hashOf(BODY) }, ` ${BODY}`)).toBeUndefined();
  });
});
