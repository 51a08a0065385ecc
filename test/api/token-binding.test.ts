// Spec, "Endpoints", accepted credentials, and "A session token bound to one intent cannot fetch another intent";
// decisions 6 and 7.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, anIntentId } from '../support/builders';
import { mintToken, sign } from '../support/partner';

const { bed, app, partner } = withApi();
let intent: PaymentIntent;
beforeAll(async () => {
  intent = await anIntent(bed, partner);
});
beforeEach(() => {
  app.refusals.length = 0;
});

const pathOf = (intentId: string) => `/v1/payment_intents/${intentId}`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const get = (token: string, intentId: string = intent.intentId) =>
  app.send({ path: pathOf(intentId), headers: bearer(token) });
const confirm = (token: string, intentId: string = intent.intentId) =>
  app.send({ method: 'POST', path: `${pathOf(intentId)}/confirm`, headers: bearer(token) });

describe('the bearer header', () => {
  it.each(['', 'Bearer', 'Bearer ', 'Basic abc', 'bearer', 'Token a.b.c'])(
    '"%s" is 401',
    async (value) => {
      const reply = await app.send({
        path: pathOf(intent.intentId),
        headers: { Authorization: value },
      });
      expect(reply.status).toBe(401);
    },
  );

  it('given twice is 401', async () => {
    const value = `Bearer ${mintToken(partner, intent)}`;
    const headers = { Authorization: [value, value] };
    expect(await app.send({ path: pathOf(intent.intentId), headers })).toMatchObject({
      status: 401,
    });
  });

  it('beside a signature is 401, on every endpoint', async () => {
    const both = async (method: string, path: string) => {
      const headers = { ...sign(partner, { method, path }), ...bearer(mintToken(partner, intent)) };
      return (await app.send({ method, path, headers })).status;
    };
    const path = pathOf(intent.intentId);
    expect(await both('GET', path)).toBe(401);
    expect(await both('POST', `${path}/confirm`)).toBe(401);
    expect(await both('POST', `${path}/cancel`)).toBe(401);
    expect(await both('POST', '/v1/payment_intents')).toBe(401);
    expect(new Set(app.refusals)).toEqual(new Set(['both_kinds_of_credentials']));
  });

  it('is not taken where only signatures are: create and cancel', async () => {
    const headers = bearer(mintToken(partner, intent));
    const path = pathOf(intent.intentId);
    expect(await app.send({ method: 'POST', path: `${path}/cancel`, headers })).toMatchObject({
      status: 401,
    });
    expect(await app.send({ method: 'POST', path: '/v1/payment_intents', headers })).toMatchObject({
      status: 401,
    });
  });
});

describe('a token bound to one intent', () => {
  it('is 403 on GET of another, and 401 on its confirm', async () => {
    const another = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    expect(await get(token, another.intentId)).toMatchObject({ status: 403 });
    expect(await confirm(token, another.intentId)).toMatchObject({ status: 401 });
  });

  it('that does not exist is 404 on both', async () => {
    const nowhere = { ...intent, intentId: anIntentId() };
    const token = mintToken(partner, nowhere);
    expect(await get(token, nowhere.intentId)).toMatchObject({ status: 404 });
    expect(await confirm(token, nowhere.intentId)).toMatchObject({ status: 404 });
  });

  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'that is %s is 401 on GET',
    async (status) => {
      const settled = await anIntent(bed, partner, { status });
      expect(await get(mintToken(partner, settled), settled.intentId)).toMatchObject({
        status: 401,
      });
      expect(app.refusals).toEqual(['state_not_open']);
    },
  );

  it('that is authorized may still GET it', async () => {
    const authorized = await anIntent(bed, partner, { status: 'authorized' });
    const token = mintToken(partner, authorized);
    expect(await get(token, authorized.intentId)).toMatchObject({ status: 200 });
  });
});
