// Decision 20, repeated confirms: the first scanned code counts. Another one than the first is 409 and uses up nothing; the same
// one, or none, is answered like any repeat (decisions 5 and 6).
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, aTokenUse, countOf } from '../support/builders';
import { mintToken } from '../support/partner';
import { aThaiCode, TH_BILL } from '../support/qr-codes';

const [CODE, OTHER] = [aThaiCode(), aThaiCode({ '29': null, '30': TH_BILL })];

const { bed, app, partner } = withApi({ poolSize: 16 });
beforeEach(() => {
  app.mode = 'settle';
});

const confirm = ({ intentId }: PaymentIntent, token: string, code?: string) =>
  app.send({
    method: 'POST',
    path: `/v1/payment_intents/${intentId}/confirm`,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(code !== undefined && { body: JSON.stringify({ qr_payload: code }) }),
  });
const mint = (intent: PaymentIntent) => mintToken(partner, intent);
/** The codes that the provider was sent for the intent. */
const sentFor = ({ intentId }: PaymentIntent) =>
  app.payouts.filter((payout) => payout.intentId === intentId).map(({ qrPayload }) => qrPayload);
const keptFor = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from confirm_payloads where intent_id = $1', [intentId]);

describe('a second confirm of an authorized intent, with a fresh token', () => {
  it.each([
    { first: undefined, second: undefined, status: 200, what: 'none after none' },
    { first: CODE, second: CODE, status: 200, what: 'the same code' },
    { first: CODE, second: undefined, status: 200, what: 'none after a code' },
    { first: CODE, second: OTHER, status: 409, what: 'another code' },
    { first: undefined, second: CODE, status: 409, what: 'a code after none' },
  ])('with $what is $status', async ({ first, second, status }) => {
    app.mode = 'authorize';
    const intent = await anIntent(bed, partner);
    await confirm(intent, mint(intent), first);
    expect(await confirm(intent, mint(intent), second)).toMatchObject({ status });
    const uses = await countOf(bed, 'select count(*) from used_tokens where intent_id = $1', [
      intent.intentId,
    ]);
    expect(uses).toBe(status === 200 ? 2 : 1);
    // Nothing was kept for the second one: its code is compared, never paid by.
    expect(await keptFor(intent)).toBe(first === undefined ? 0 : 1);
  });

  it('that is refused says why in one sentence', async () => {
    app.mode = 'authorize';
    const intent = await anIntent(bed, partner);
    await confirm(intent, mint(intent), CODE);
    const reply = await confirm(intent, mint(intent), OTHER);
    expect(reply.text).toBe(
      '{"error":"conflict","message":"This qr_payload is not the one that came first."}',
    );
  });
});

describe('a confirm that was kept and never reached the run', () => {
  async function lost(code: string | undefined) {
    const intent = await anIntent(bed, partner);
    const token = mint(intent);
    app.mode = 'no_answer';
    expect(await confirm(intent, token, code)).toMatchObject({ status: 503 });
    app.mode = 'settle';
    return { intent, token };
  }

  it.each([
    ['its code', CODE, CODE],
    ['none', CODE, undefined],
    ['the code that it lacked', undefined, CODE],
  ])(
    'is repeated with %s: 200, and the code reaches the provider once',
    async (_what, first, second) => {
      const { intent, token } = await lost(first);
      expect(await confirm(intent, token, second)).toMatchObject({ status: 200 });
      expect(sentFor(intent)).toEqual([CODE]);
    },
  );

  it('is not repeated with another code: 409, and the token stays usable with the first', async () => {
    const { intent, token } = await lost(CODE);
    expect(await confirm(intent, token, OTHER)).toMatchObject({ status: 409 });
    expect(sentFor(intent)).toEqual([]);
    expect(await confirm(intent, token, CODE)).toMatchObject({ status: 200 });
    expect(sentFor(intent)).toEqual([CODE]);
  });

  it('does not stand in the way of a fresh token with another code', async () => {
    const { intent } = await lost(CODE);
    expect(await confirm(intent, mint(intent), OTHER)).toMatchObject({ status: 200 });
    expect(sentFor(intent)).toEqual([OTHER]);
  });
});

describe('a confirm that was authorized and never answered', () => {
  async function unanswered() {
    const intent = await anIntent(bed, partner);
    const jti = `lost ${intent.intentId}`;
    const token = mintToken(partner, intent, { jti });
    app.mode = 'no_answer';
    await confirm(intent, token, CODE);
    const { intentId } = intent;
    const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
    await bed.intents.transition({ ...authorize, token: aTokenUse(partner, jti) });
    return { intent, token };
  }

  it.each([
    ['its code', CODE],
    ['none', undefined],
  ])('is repeated with %s: 200, once', async (_what, code) => {
    const { intent, token } = await unanswered();
    const replies = [await confirm(intent, token, code), await confirm(intent, token, code)];
    expect(replies.map(({ status }) => status)).toEqual([200, 401]);
  });

  it('is 409 with another code, which uses up nothing', async () => {
    const { intent, token } = await unanswered();
    const replies = [await confirm(intent, token, OTHER), await confirm(intent, token, CODE)];
    expect(replies.map(({ status }) => status)).toEqual([409, 200]);
  });
});
