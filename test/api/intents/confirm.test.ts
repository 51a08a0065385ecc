// Confirm (protocol 5.5; decisions 5, 6 and 20; architecture, section 3, rule R2).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { pathOf } from '../../support/app';
import { withApi } from '../../support/brackets';
import {
  anIntent,
  anIntentId,
  aNonce,
  aTokenUse,
  countOf,
  findExisting,
  move,
  times,
} from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { mintToken, sign } from '../../support/payments/partner';

const { bed, app, partner } = withApi({ poolSize: 16 });
let intent: PaymentIntent;
let token: string;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
  token = mintToken(partner, intent);
});

const statusOf = async ({ intentId }: PaymentIntent) => (await findExisting(bed, intentId)).status;
const rowsOf = ({ intentId }: PaymentIntent, table: 'used_tokens' | 'payouts') =>
  countOf(bed, `select count(*) from ${table} where intent_id = $1`, [intentId]);
/** Confirms in sequence. @returns the statuses */
async function statusesOf(...confirms: readonly (readonly [PaymentIntent, string])[]) {
  const statuses: number[] = [];
  for (const confirm of confirms) statuses.push((await app.confirm(...confirm)).status);
  return statuses;
}

describe('confirm', () => {
  it('answers 200 with the captured intent when the outcome is known', async () => {
    const reply = await app.confirm(intent, token);
    expect([reply.status, reply.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(reply.text).toBe(
      `{"intent_id":"${intent.intentId}","status":"captured","amount_usd_cents":1250,"corridor":"th_qrpay","created_at":"2026-03-02T12:00:00.000Z","captured_at":"2026-03-02T12:00:00.000Z"}`,
    );
  });

  it('answers 200 with authorized while the outcome is unknown', async () => {
    app.mode = 'authorize';
    const reply = await app.confirm(intent, token);
    expect(JSON.parse(reply.text)).toMatchObject({ status: 'authorized' });
  });

  it('rejects a signed request', async () => {
    const request = { method: 'POST', path: pathOf(intent, 'confirm') };
    const reply = await app.send({ ...request, headers: sign(partner, request) });
    expect([reply.status, await statusOf(intent)]).toEqual([401, 'created']);
  });

  it('retries when the workflow is at its limit of updates', async () => {
    app.mode = 'busy_once';
    expect(await app.confirm(intent, token)).toMatchObject({ status: 200 });
  });

  it.each(['', '{}', ' {} '])('accepts the body "%s"', async (body) => {
    expect(await app.confirm(intent, token, { body })).toMatchObject({ status: 200 });
  });
});

describe('a token', () => {
  it('confirms once: its second use is 401, and so is its GET', async () => {
    app.mode = 'authorize';
    expect(await statusesOf([intent, token], [intent, token])).toEqual([200, 401]);
    expect(await app.get(intent, token)).toMatchObject({ status: 401 });
  });

  it('whose jti was used on another intent is 401', async () => {
    const [another, jti] = [await anIntent(bed, partner), aNonce()];
    const tokens = [intent, another].map((of) => [of, mintToken(partner, of, { jti })] as const);
    expect(await statusesOf(...tokens)).toEqual([200, 401]);
    expect(await statusOf(another)).toBe('created');
  });
});

describe('a fresh token', () => {
  it('on an authorized intent is 200, recorded, and nothing is executed again', async () => {
    app.mode = 'authorize';
    await app.confirm(intent, mintToken(partner, intent));
    app.mode = 'no_answer';
    expect(await statusesOf([intent, token], [intent, token])).toEqual([200, 401]);
    expect(await statusOf(intent)).toBe('authorized');
    expect([await rowsOf(intent, 'used_tokens'), await rowsOf(intent, 'payouts')]).toEqual([2, 0]);
  });

  it('after the deadline is 409, and the intent is expired', async () => {
    const brief = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    await bed.setNow(secondsAfter(NOON, 60));
    expect(await statusesOf([brief, mintToken(partner, brief)])).toEqual([409]);
    expect(await statusOf(brief)).toBe('expired');
  });

  it('raced by nine others is answered from the rows, and one payout is sent', async () => {
    const replies = await times(10, () => app.confirm(intent, mintToken(partner, intent)));
    expect(replies.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect([await statusOf(intent), await rowsOf(intent, 'payouts')]).toEqual(['captured', 1]);
  });
});

describe('a jti is not used up', () => {
  it('by a 404: the token confirms once the intent exists', async () => {
    const missing = { ...intent, intentId: anIntentId() };
    const early = mintToken(partner, missing);
    expect(await statusesOf([missing, early])).toEqual([404]);
    expect(await rowsOf(missing, 'used_tokens')).toBe(0);
    await anIntent(bed, partner, { intentId: missing.intentId });
    expect(await statusesOf([missing, early])).toEqual([200]);
  });

  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'by a 409 of an intent that is %s: it confirms another intent',
    async (status) => {
      const jti = aNonce();
      const settled = await anIntent(bed, partner, { status });
      const rejected = await app.confirm(settled, mintToken(partner, settled, { jti }));
      expect([rejected.status, rejected.text]).toEqual([
        409,
        `{"error":"conflict","message":"The intent's state does not allow this."}`,
      ]);
      expect(await rowsOf(settled, 'used_tokens')).toBe(0);
      expect(await statusesOf([intent, mintToken(partner, intent, { jti })])).toEqual([200]);
    },
  );

  it('by any number of 503 with Retry-After', async () => {
    app.mode = 'no_answer';
    const lost = await app.confirm(intent, token);
    expect([lost.status, lost.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(lost.text)).toMatchObject({ error: 'internal_error' });
    expect(await statusesOf([intent, token])).toEqual([503]);
    expect(await rowsOf(intent, 'used_tokens')).toBe(0);
    app.mode = 'settle';
    const repeat = await app.confirm(intent, token);
    expect(repeat.status).toBe(200);
    expect(JSON.parse(repeat.text)).toMatchObject({ status: 'captured' });
  });

  it('by a 401 of another step: a right token with the same jti confirms', async () => {
    const jti = aNonce();
    const wrong = mintToken(partner, intent, { jti, 'service:amount_usd_cents': 1 });
    const right = mintToken(partner, intent, { jti });
    expect(await statusesOf([intent, wrong], [intent, right])).toEqual([401, 200]);
  });
});

it.each(['authorized', 'captured'] as const)(
  'a token that authorized without an answer is 200 once when repeated, with the status %s',
  async (status) => {
    const { intentId, amountUsdCents } = intent;
    const jti = aNonce();
    const unanswered = mintToken(partner, intent, { jti });
    await move(bed, intentId, 'authorize', { token: aTokenUse(partner, jti) });
    if (status === 'captured') {
      await bed.funds.debit(intentId, amountUsdCents);
      await move(bed, intentId, 'capture');
    }
    app.mode = 'no_answer';
    const repeat = await app.confirm(intent, unanswered);
    expect(repeat.status).toBe(200);
    expect(JSON.parse(repeat.text)).toMatchObject({ status });
    expect(await statusesOf([intent, unanswered])).toEqual([401]);
  },
);
