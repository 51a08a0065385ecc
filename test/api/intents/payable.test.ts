// What a corridor's settings forbid is 400 at create, and at confirm before anything is authorized
// (decision 154). What is authorized already is answered as ever.
import { byCorridor } from '../../../src/corridors/names';
import { PAYEE_KINDS } from '../../../src/corridors/scheme';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { usdCents } from '../../../src/domain/money';
import { createMemoryKeySets, GOOD_CREATE, type TestApp } from '../../support/app';
import { withApp, withDatabase, withPartner } from '../../support/brackets';
import { anIntent, move } from '../../support/builders';
import { mintToken } from '../../support/payments/partner';
import { aThaiCode, aVietnameseCode, objects, TH_BILL } from '../../support/payments/qr-codes';

const bed = withDatabase({ poolSize: 16 });
const partner = withPartner(bed);
const NO_CARDS = PAYEE_KINDS.filter((kind) => kind !== 'card');
const [STATIC, WITH_AMOUNT] = [aThaiCode(), aThaiCode({ '54': '43.25' })];
const BILL = aThaiCode({ '29': null, '30': TH_BILL });
const CARD = aVietnameseCode({
  '38': objects(
    ['00', 'A000000727'],
    ['01', objects(['00', '970403'], ['01', '9704031101234567'])],
    ['02', 'QRIBFTTC'],
  ),
});

const keySets = () => createMemoryKeySets([partner]);
const strict = withApp(bed, () => ({
  keySets: keySets(),
  settings: {
    maximumUsdCents: byCorridor((corridor) => (corridor === 'th_qrpay' ? 1_250 : 1)),
    codeRules: byCorridor(() => ({ payeeKinds: NO_CARDS, isCodeAmountAllowed: false })),
  },
}));
const local = withApp(bed, () => ({
  keySets: keySets(),
  settings: { needsLocal: byCorridor(() => true) },
}));
const open = withApp(bed, () => ({ keySets: keySets() }));

const mint = (of: PaymentIntent) => mintToken(partner, of);

/** The token of a rejected confirm still confirms where the settings allow that. */
async function expectRefused(
  app: TestApp,
  intent: PaymentIntent,
  code: string | undefined,
  why: string,
) {
  const token = mint(intent);
  const reply = await app.confirm(intent, token, code);
  expect([reply.status, reply.text]).toEqual([
    400,
    JSON.stringify({ error: 'validation_failed', message: why }),
  ]);
  expect((await open.confirm(intent, token, code)).status).toBe(200);
}

describe('an amount above the maximum', () => {
  const TOO_MUCH = 'amount_usd_cents is above the maximum of the corridor.';

  it('is 400 at create, and a replay is answered as before', async () => {
    const key = { 'Idempotency-Key': 'before-the-maximum' };
    const large = { ...GOOD_CREATE, amount_usd_cents: 1_251 };
    const first = await open.create(partner, large, key);
    const fresh = await strict.create(partner, large);
    expect([fresh.status, fresh.text]).toEqual([
      400,
      JSON.stringify({ error: 'validation_failed', message: TOO_MUCH }),
    ]);
    expect((await strict.create(partner, large, key)).text).toBe(first.text);
    expect((await strict.create(partner)).status).toBe(201);
  });

  it('is 400 at confirm', async () => {
    await expectRefused(
      strict,
      await anIntent(bed, partner, { corridor: 'vn_qrpay' }),
      undefined,
      TOO_MUCH,
    );
  });

  it('authorizes nothing where only a worker knows it', async () => {
    const { intentId } = await anIntent(bed, partner);
    const moved = (maximumUsdCents: number) =>
      move(bed, intentId, 'authorize', { maximumUsdCents });
    await expect(moved(1_249)).resolves.toMatchObject({
      outcome: 'not_allowed',
      status: 'created',
    });
    await expect(moved(1_250)).resolves.toMatchObject({ outcome: 'did', status: 'authorized' });
  });
});

describe('a scanned code', () => {
  it('of a payee that is no allowed kind is 400', async () => {
    const intent = await anIntent(bed, partner, {
      corridor: 'vn_qrpay',
      amountUsdCents: usdCents(1),
    });
    const why = 'qr_payload names a kind of payee that is not paid in this corridor.';
    await expectRefused(strict, intent, CARD, why);
  });

  it('with an amount is 400 where none is accepted', async () => {
    const why = 'qr_payload has an amount, which is not accepted in this corridor.';
    await expectRefused(strict, await anIntent(bed, partner), WITH_AMOUNT, why);
  });

  it.each([
    ['a phone number', STATIC],
    ['a biller', BILL],
  ])('of %s without an amount is accepted', async (_what, code) => {
    const intent = await anIntent(bed, partner);
    expect((await strict.confirm(intent, mint(intent), code)).status).toBe(200);
  });

  it.each([
    ['missing', undefined],
    ['without an amount', STATIC],
  ])('that is %s is 400 where the provider needs an amount', async (_what, code) => {
    const why = 'qr_payload must have an amount for this corridor.';
    await expectRefused(local, await anIntent(bed, partner), code, why);
  });

  it('with an amount is accepted there', async () => {
    const intent = await anIntent(bed, partner);
    expect((await local.confirm(intent, mint(intent), WITH_AMOUNT)).status).toBe(200);
  });

  it('that an authorized payment has is answered though settings forbid it by now', async () => {
    const intent = await anIntent(bed, partner);
    open.mode = 'authorize';
    expect((await open.confirm(intent, mint(intent), WITH_AMOUNT)).status).toBe(200);
    open.mode = 'settle';
    expect((await strict.confirm(intent, mint(intent), WITH_AMOUNT)).status).toBe(200);
  });
});
