// Decision 20: a confirm may carry the scanned code, `{ "qr_payload": "…" }`. It is parsed strictly
// and reaches the provider with the payment that its token authorized.
import { byCorridor } from '../../../src/corridors/names';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { withApi, withApp } from '../../support/brackets';
import { anIntent, anIntentId, countOf } from '../../support/builders';
import { createMemoryKeySets, scanned, type Reply } from '../../support/app';
import { mintToken } from '../../support/payments/partner';
import { aThaiCode, aVietnameseCode, TH_BILL } from '../../support/payments/qr-codes';

interface Vectors {
  readonly accepted: readonly {
    readonly name: string;
    readonly payload: string;
    readonly corridor: 'th_qrpay' | 'vn_qrpay';
  }[];
  readonly refused: readonly { readonly name: string; readonly payload: string }[];
}

const VECTORS = JSON.parse(
  readFileSync(join(__dirname, '..', '..', 'vectors', 'qr-payloads.json'), 'utf8'),
) as Vectors;
const [CODE, OTHER] = [aThaiCode(), aThaiCode({ '29': null, '30': TH_BILL })];
const JSON_HEADER = { 'Content-Type': 'application/json' };

const { bed, app, partner } = withApi({ poolSize: 16 });
let intent: PaymentIntent;
let token: string;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
  token = mintToken(partner, intent);
});

const mint = (of: PaymentIntent) => mintToken(partner, of);
const storedFor = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from confirm_payloads where intent_id = $1', [intentId]);

/** Expects a 400 that stores nothing, and that the same token still works afterwards. */
async function expectInvalid(reply: Reply, message: RegExp | string = /./): Promise<void> {
  expect(reply.status).toBe(400);
  const body: unknown = JSON.parse(reply.text);
  expect(body).toMatchObject({ message: expect.stringMatching(message) as string });
  expect(reply.text).not.toContain(CODE.slice(0, 12));
  expect(await storedFor(intent)).toBe(0);
  expect(await app.confirm(intent, token)).toMatchObject({ status: 200 });
  expect(app.codesFor(intent)).toEqual([null]);
}

describe('a confirm', () => {
  it.each(VECTORS.accepted)(
    'accepts a published code ($name), and the provider gets it once',
    async ({ payload, corridor }) => {
      const paid = await anIntent(bed, partner, { corridor });
      const reply = await app.confirm(paid, mint(paid), payload);
      expect(reply.status).toBe(200);
      expect(reply.text).not.toContain('qr_payload');
      expect(app.codesFor(paid)).toEqual([payload]);
    },
  );

  it.each(['', '{}'])('with the body "%s" sends no code to the provider', async (body) => {
    expect(await app.confirm(intent, token, { body })).toMatchObject({ status: 200 });
    expect([app.codesFor(intent), await storedFor(intent)]).toEqual([[null], 0]);
  });

  it.each(VECTORS.refused)(
    'rejects an invalid published code ($name) with 400',
    async ({ payload }) => {
      await expectInvalid(await app.confirm(intent, token, payload), /^The [^"0-9]+\.$/);
    },
  );

  it('rejects a code of another corridor without repeating it', async () => {
    await expectInvalid(
      await app.confirm(intent, token, aVietnameseCode()),
      /^The scanned code belongs to another corridor than the payment\.$/,
    );
  });

  it.each([
    ...['{"qr_payload":null}', '{"qr_payload":4711}', '{"qr_payload":""}', '{"qr_payload":[]}'],
    `{"qr_payload":["${CODE}"]}`,
    `{"qr_payload":"${CODE}","amount_usd_cents":1250}`,
    `{"qr_payload":"${CODE}","qr_payload":"${OTHER}"}`,
    `{"qr_payload":"${CODE}","\\u0071r_payload":"${CODE}"}`,
    `{"QR_PAYLOAD":"${CODE}"}`,
    `"${CODE}"`,
    CODE,
  ])('rejects the body %s with 400', async (body) => {
    await expectInvalid(await app.confirm(intent, token, { headers: JSON_HEADER, body }));
  });

  it.each([` ${CODE}`, `${CODE}\\n`, `\\ufeff${CODE}`, `${CODE}\\u00a0`])(
    'says that the code "%s" has white space at an end',
    async (code) => {
      await expectInvalid(
        await app.confirm(intent, token, {
          headers: JSON_HEADER,
          body: `{"qr_payload":"${code}"}`,
        }),
        /^qr_payload must not begin or end with white space\.$/,
      );
    },
  );

  it.each([
    {},
    { 'Content-Type': 'text/plain;charset=UTF-8' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/json; charset=iso-8859-1' },
    { ...JSON_HEADER, 'Content-Encoding': 'gzip' },
  ])('rejects a code that is declared as %j', async (headers) => {
    await expectInvalid(await app.confirm(intent, token, { ...scanned(CODE), headers }));
  });

  it('checks credentials first, then the resource, then the code', async () => {
    const another = await anIntent(bed, partner);
    const nowhere = { ...intent, intentId: anIntentId() };
    const replies = [
      await app.confirm(intent, mintToken(partner, intent, { aud: 'elsewhere' }), 'nonsense'),
      await app.confirm(intent, mint(another), 'nonsense'),
      await app.confirm(nowhere, mint(nowhere), 'nonsense'),
      await app.confirm(intent, token, 'nonsense'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 404, 400]);
    const settled = await anIntent(bed, partner, { status: 'captured' });
    expect(await app.confirm(settled, mint(settled), CODE)).toMatchObject({ status: 409 });
    expect(await storedFor(settled)).toBe(0);
  });
});

describe('where a corridor requires a code', () => {
  const strict = withApp(bed, () => ({
    keySets: createMemoryKeySets([partner]),
    settings: { isQrPayloadRequired: byCorridor((corridor) => corridor === 'th_qrpay') },
  }));

  it.each(['', '{}'])(
    'a confirm with the body "%s" is 400, and its token stays unused',
    async (body) => {
      expect(await strict.confirm(intent, token, { body })).toMatchObject({
        status: 400,
        text: '{"error":"validation_failed","message":"qr_payload is required for this corridor."}',
      });
      expect(await strict.confirm(intent, token, CODE)).toMatchObject({ status: 200 });
    },
  );

  it('a second confirm of an authorized intent needs it too', async () => {
    strict.mode = 'authorize';
    await strict.confirm(intent, token, CODE);
    expect(await strict.confirm(intent, mint(intent))).toMatchObject({ status: 400 });
    expect(await strict.confirm(intent, mint(intent), CODE)).toMatchObject({ status: 200 });
  });

  it('a bad token is still 401, and the other corridor needs none', async () => {
    const vietnamese = await anIntent(bed, partner, { corridor: 'vn_qrpay' });
    expect(await strict.confirm(vietnamese, 'a.b.c')).toMatchObject({ status: 401 });
    expect(await strict.confirm(vietnamese, mint(vietnamese))).toMatchObject({ status: 200 });
  });
});
