// Decision 20, repeated confirms: the first scanned code counts. A different code is 409 and uses
// up no token. The same code, or none, is answered like any repeat (decisions 5 and 6).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { withApi } from '../../support/brackets';
import { anIntent, aNonce, aTokenUse, countOf, move } from '../../support/builders';
import { mintToken } from '../../support/payments/partner';
import { aThaiCode, TH_BILL } from '../../support/payments/qr-codes';

const [CODE, OTHER] = [aThaiCode(), aThaiCode({ '29': null, '30': TH_BILL })];

const { bed, app, partner } = withApi({ poolSize: 16 });
let intent: PaymentIntent;
let token: string;
let jti: string;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
  jti = aNonce();
  token = mintToken(partner, intent, { jti });
});

type Code = string | undefined;
const confirm = async (code: Code, by = token) =>
  (await app.confirm(intent, by, code ?? {})).status;
const rowsOf = (table: 'confirm_payloads' | 'used_tokens') =>
  countOf(bed, `select count(*) from ${table} where intent_id = $1`, [intent.intentId]);

const BODIES = {
  200: /"status":"authorized"/,
  409: /^\{"error":"conflict","message":"This qr_payload or quote_id differs from the one that was sent first\."\}$/,
};

describe('a second confirm of an authorized intent, with a fresh token', () => {
  it.each([
    { first: undefined, second: undefined, status: 200, what: 'none after none' },
    { first: CODE, second: CODE, status: 200, what: 'the same code' },
    { first: CODE, second: undefined, status: 200, what: 'none after a code' },
    { first: CODE, second: OTHER, status: 409, what: 'another code' },
    { first: undefined, second: CODE, status: 409, what: 'a code after none' },
  ] as const)('with $what is $status', async ({ first, second, status }) => {
    app.mode = 'authorize';
    await confirm(first);
    const reply = await app.confirm(intent, mintToken(partner, intent), second ?? {});
    expect(reply).toMatchObject({ status, text: expect.stringMatching(BODIES[status]) as string });
    expect(await rowsOf('used_tokens')).toBe(status === 200 ? 2 : 1);
    // The second code is only compared, so it is not stored.
    expect(await rowsOf('confirm_payloads')).toBe(first === undefined ? 0 : 1);
  });
});

describe('a confirm that was stored and never reached the workflow', () => {
  async function lose(code: Code) {
    app.mode = 'no_answer';
    expect(await confirm(code)).toBe(503);
    app.mode = 'settle';
  }

  it.each([
    ['its code', CODE, CODE],
    ['none', CODE, undefined],
    ['the code that it lacked', undefined, CODE],
  ])(
    'may be repeated with %s: 200, and the code reaches the provider once',
    async (_what, first, second) => {
      await lose(first);
      expect(await confirm(second)).toBe(200);
      expect(app.codesFor(intent)).toEqual([CODE]);
    },
  );

  it('is 409 with another code, and the token stays usable with the first code', async () => {
    await lose(CODE);
    expect(await confirm(OTHER)).toBe(409);
    expect(app.codesFor(intent)).toEqual([]);
    expect(await confirm(CODE)).toBe(200);
    expect(app.codesFor(intent)).toEqual([CODE]);
  });

  it('does not block a fresh token with another code', async () => {
    await lose(CODE);
    expect(await confirm(OTHER, mintToken(partner, intent))).toBe(200);
    expect(app.codesFor(intent)).toEqual([OTHER]);
  });
});

describe('a confirm that was authorized and never answered', () => {
  beforeEach(async () => {
    app.mode = 'no_answer';
    await confirm(CODE);
    await move(bed, intent.intentId, 'authorize', { token: aTokenUse(partner, jti) });
  });

  it.each([
    ['its code is 200, once', CODE, CODE, [200, 401]],
    ['none is 200, once', undefined, undefined, [200, 401]],
    ['another code is 409, which does not use up the token', OTHER, CODE, [409, 200]],
  ])('repeated with %s', async (_what, first, second, statuses) => {
    expect([await confirm(first), await confirm(second)]).toEqual(statuses);
  });
});
