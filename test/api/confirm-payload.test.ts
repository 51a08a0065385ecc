// Decision 20: a confirm may carry the scanned code, `{ "qr_payload": "…" }`. It is read strictly, reaches the provider with
// the payment that its token authorized, and no other code takes its place.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, anIntentId, countOf } from '../support/builders';
import { createMemoryKeySets, startApp, type Outgoing, type TestApp } from '../support/app';
import { mintToken } from '../support/partner';
import { aThaiCode, aVietnameseCode, TH_BILL } from '../support/qr-codes';

interface Vectors {
  readonly accepted: readonly {
    readonly name: string;
    readonly payload: string;
    readonly corridor: 'th_qrpay' | 'vn_qrpay';
  }[];
  readonly refused: readonly { readonly name: string; readonly payload: string }[];
}

const VECTORS = JSON.parse(
  readFileSync(join(__dirname, '..', 'vectors', 'qr-payloads.json'), 'utf8'),
) as Vectors;
const [CODE, OTHER] = [aThaiCode(), aThaiCode({ '29': null, '30': TH_BILL })];
const JSON_HEADER = { 'Content-Type': 'application/json' };

const { bed, app, partner } = withApi({ poolSize: 16 });
beforeEach(() => {
  app.mode = 'settle';
});

const send = ({ intentId }: PaymentIntent, token: string, more: Partial<Outgoing> = {}) =>
  app.send({
    method: 'POST',
    path: `/v1/payment_intents/${intentId}/confirm`,
    ...more,
    headers: { Authorization: `Bearer ${token}`, ...more.headers },
  });
const bodyOf = (code?: string) =>
  code === undefined ? {} : { headers: JSON_HEADER, body: JSON.stringify({ qr_payload: code }) };
const confirm = (intent: PaymentIntent, token: string, code?: string) =>
  send(intent, token, bodyOf(code));
const mint = (intent: PaymentIntent) => mintToken(partner, intent);
/** The codes that the provider was sent for the intent. */
const sentFor = ({ intentId }: PaymentIntent) =>
  app.payouts.filter((payout) => payout.intentId === intentId).map(({ qrPayload }) => qrPayload);
const keptFor = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from confirm_payloads where intent_id = $1', [intentId]);

/** What an answer of 400 must leave behind: nothing, so that the same token works after it. */
async function expectUntouched(intent: PaymentIntent, token: string): Promise<void> {
  expect(await keptFor(intent)).toBe(0);
  expect(await confirm(intent, token)).toMatchObject({ status: 200 });
  expect(sentFor(intent)).toEqual([null]);
}

describe('a confirm', () => {
  it.each(VECTORS.accepted)(
    'takes a published code ($name), and the provider is sent it once',
    async (vector) => {
      const intent = await anIntent(bed, partner, { corridor: vector.corridor });
      const reply = await confirm(intent, mint(intent), vector.payload);
      expect(reply.status).toBe(200);
      expect(reply.text).not.toContain('qr_payload');
      expect(sentFor(intent)).toEqual([vector.payload]);
    },
  );

  it.each(['', '{}'])('with the body "%s" sends the provider none', async (body) => {
    const intent = await anIntent(bed, partner);
    expect(await send(intent, mint(intent), { body })).toMatchObject({ status: 200 });
    expect(sentFor(intent)).toEqual([null]);
    expect(await keptFor(intent)).toBe(0);
  });

  it.each(VECTORS.refused)(
    'refuses a published code that is wrong ($name) with 400',
    async ({ payload }) => {
      const intent = await anIntent(bed, partner);
      const token = mint(intent);
      const reply = await confirm(intent, token, payload);
      expect(reply.status).toBe(400);
      expect(reply.text).toMatch(/^\{"error":"validation_failed","message":"The [^"0-9]+\."\}$/);
      await expectUntouched(intent, token);
    },
  );

  it('refuses a code of another corridor, and says so without repeating it', async () => {
    const intent = await anIntent(bed, partner);
    const token = mint(intent);
    const reply = await confirm(intent, token, aVietnameseCode());
    expect([reply.status, reply.text]).toEqual([
      400,
      '{"error":"validation_failed","message":"The scanned code belongs to another corridor than the payment."}',
    ]);
    await expectUntouched(intent, token);
  });

  it.each([
    '{"qr_payload":null}',
    '{"qr_payload":4711}',
    '{"qr_payload":""}',
    '{"qr_payload":[]}',
    `{"qr_payload":["${CODE}"]}`,
    `{"qr_payload":"${CODE}","amount_usd_cents":1250}`,
    `{"qr_payload":"${CODE}","qr_payload":"${OTHER}"}`,
    `{"qr_payload":"${CODE}","\\u0071r_payload":"${CODE}"}`,
    `{"QR_PAYLOAD":"${CODE}"}`,
    `{"qr_payload":" ${CODE}"}`,
    `{"qr_payload":"${CODE}\\n"}`,
    `"${CODE}"`,
    CODE,
  ])('refuses the body %s with 400', async (body) => {
    const intent = await anIntent(bed, partner);
    const token = mint(intent);
    const reply = await send(intent, token, { headers: JSON_HEADER, body });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(CODE.slice(0, 12));
    await expectUntouched(intent, token);
  });

  it.each([
    {},
    { 'Content-Type': 'text/plain;charset=UTF-8' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/json; charset=iso-8859-1' },
    { ...JSON_HEADER, 'Content-Encoding': 'identity' },
  ])('refuses a code that is declared as %j', async (headers) => {
    const intent = await anIntent(bed, partner);
    const token = mint(intent);
    const reply = await send(intent, token, {
      headers,
      body: JSON.stringify({ qr_payload: CODE }),
    });
    expect(reply.status).toBe(400);
    await expectUntouched(intent, token);
  });

  it('checks credentials first, then the resource, then the code', async () => {
    const [intent, another] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    const nowhere = { ...intent, intentId: anIntentId() };
    const replies = [
      await confirm(intent, mintToken(partner, intent, { aud: 'elsewhere' }), 'nonsense'),
      await confirm(intent, mint(another), 'nonsense'),
      await confirm(nowhere, mintToken(partner, nowhere), 'nonsense'),
      await confirm(intent, mint(intent), 'nonsense'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 404, 400]);
    const settled = await anIntent(bed, partner, { status: 'captured' });
    expect(await confirm(settled, mint(settled), CODE)).toMatchObject({ status: 409 });
    expect(await keptFor(settled)).toBe(0);
  });
});

describe('where a corridor requires a code', () => {
  let strict: TestApp;
  beforeAll(async () => {
    const settings = { isQrPayloadRequired: { th_qrpay: true, vn_qrpay: false } };
    strict = await startApp(bed, { keySets: createMemoryKeySets([partner]), settings });
  });
  afterAll(() => strict.close());

  const confirmStrictly = ({ intentId }: PaymentIntent, token: string, more: Partial<Outgoing>) =>
    strict.send({
      method: 'POST',
      path: `/v1/payment_intents/${intentId}/confirm`,
      ...more,
      headers: { Authorization: `Bearer ${token}`, ...more.headers },
    });

  it.each(['', '{}'])(
    'a confirm with the body "%s" is 400, and its token stays unused',
    async (body) => {
      const intent = await anIntent(bed, partner);
      const token = mint(intent);
      const reply = await confirmStrictly(intent, token, { body });
      expect([reply.status, reply.text]).toEqual([
        400,
        '{"error":"validation_failed","message":"qr_payload is required for this corridor."}',
      ]);
      expect(await confirmStrictly(intent, token, bodyOf(CODE))).toMatchObject({ status: 200 });
    },
  );

  it('a second confirm of an authorized intent needs it too', async () => {
    strict.mode = 'authorize';
    const intent = await anIntent(bed, partner);
    await confirmStrictly(intent, mint(intent), bodyOf(CODE));
    expect(await confirmStrictly(intent, mint(intent), {})).toMatchObject({ status: 400 });
    expect(await confirmStrictly(intent, mint(intent), bodyOf(CODE))).toMatchObject({
      status: 200,
    });
  });

  it('a bad token is still 401, and the other corridor needs none', async () => {
    const intent = await anIntent(bed, partner, { corridor: 'vn_qrpay' });
    expect(await confirmStrictly(intent, 'a.b.c', {})).toMatchObject({ status: 401 });
    expect(await confirmStrictly(intent, mint(intent), {})).toMatchObject({ status: 200 });
  });
});
