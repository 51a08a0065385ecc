// Spec, "POST /v1/payment_intents/{intent_id}/confirm"; decisions 5, 6 and 20; architecture, section 3, rule R2.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, aTokenUse, countOf, findExisting, times } from '../support/builders';
import type { Outgoing } from '../support/app';
import { NOON, secondsAfter } from '../support/clock';
import { mintToken, sign } from '../support/partner';

const { bed, app, partner } = withApi({ poolSize: 16 });
beforeEach(async () => {
  app.mode = 'settle';
  await bed.setNow(NOON);
});

const confirm = ({ intentId }: PaymentIntent, token: string, more: Partial<Outgoing> = {}) =>
  app.send({
    method: 'POST',
    path: `/v1/payment_intents/${intentId}/confirm`,
    ...more,
    headers: { Authorization: `Bearer ${token}`, ...more.headers },
  });
const statusOf = async ({ intentId }: PaymentIntent) => (await findExisting(bed, intentId)).status;
const usesOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from used_tokens where intent_id = $1', [intentId]);
const payoutsOf = ({ intentId }: PaymentIntent) =>
  countOf(bed, 'select count(*) from payouts where intent_id = $1', [intentId]);

describe('confirm', () => {
  it('answers 200 with the intent as it is when the outcome is known', async () => {
    const intent = await anIntent(bed, partner);
    const reply = await confirm(intent, mintToken(partner, intent));
    expect([reply.status, reply.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(reply.text).toBe(
      `{"intent_id":"${intent.intentId}","status":"captured","amount_usd_cents":1250,"corridor":"th_qrpay","created_at":"2026-03-02T12:00:00.000Z","captured_at":"2026-03-02T12:00:00.000Z"}`,
    );
  });

  it('answers 200 with authorized while the outcome is open', async () => {
    app.mode = 'authorize';
    const intent = await anIntent(bed, partner);
    const reply = await confirm(intent, mintToken(partner, intent));
    expect(JSON.parse(reply.text)).toMatchObject({ status: 'authorized' });
  });

  it('does not take a signed request', async () => {
    const intent = await anIntent(bed, partner);
    const path = `/v1/payment_intents/${intent.intentId}/confirm`;
    const headers = sign(partner, { method: 'POST', path });
    expect(await app.send({ method: 'POST', path, headers })).toMatchObject({ status: 401 });
    expect(await statusOf(intent)).toBe('created');
  });

  it('asks again when the run is at its limit of updates', async () => {
    app.mode = 'busy_once';
    const intent = await anIntent(bed, partner);
    expect(await confirm(intent, mintToken(partner, intent))).toMatchObject({ status: 200 });
  });

  it.each(['', '{}', ' {} '])('takes the body "%s"', async (body) => {
    const intent = await anIntent(bed, partner);
    expect(await confirm(intent, mintToken(partner, intent), { body })).toMatchObject({
      status: 200,
    });
  });

  it.each(['nonsense', '[]', '{"amount_usd_cents":1}', '"text"'])(
    'refuses the body %s with 400, and the token stays unused',
    async (body) => {
      const intent = await anIntent(bed, partner);
      const token = mintToken(partner, intent);
      expect(await confirm(intent, token, { body })).toMatchObject({ status: 400 });
      expect(await statusOf(intent)).toBe('created');
      expect(await confirm(intent, token)).toMatchObject({ status: 200 });
    },
  );
});

describe('a token', () => {
  it('confirms once: its second use is 401', async () => {
    const intent = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    const replies = [await confirm(intent, token), await confirm(intent, token)];
    expect(replies.map(({ status }) => status)).toEqual([200, 401]);
  });

  it.each(['settle', 'authorize'] as const)(
    'sent twenty times at once is 200 for exactly one and 401 for the others (%s)',
    async (mode) => {
      app.mode = mode;
      const intent = await anIntent(bed, partner);
      const token = mintToken(partner, intent);
      const replies = await times(20, () => confirm(intent, token));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 401)).toHaveLength(19);
    },
  );

  it('whose jti was used on another intent is 401', async () => {
    const [one, two] = [await anIntent(bed, partner), await anIntent(bed, partner)];
    const jti = 'the same jti';
    expect(await confirm(one, mintToken(partner, one, { jti }))).toMatchObject({ status: 200 });
    expect(await confirm(two, mintToken(partner, two, { jti }))).toMatchObject({ status: 401 });
    expect(await statusOf(two)).toBe('created');
  });

  it('that was used is 401 on GET', async () => {
    app.mode = 'authorize';
    const intent = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    await confirm(intent, token);
    const headers = { Authorization: `Bearer ${token}` };
    const path = `/v1/payment_intents/${intent.intentId}`;
    expect(await app.send({ path, headers })).toMatchObject({ status: 401 });
  });
});

describe('a fresh token', () => {
  it('on an authorized intent is 200, recorded, and nothing is executed again', async () => {
    app.mode = 'authorize';
    const intent = await anIntent(bed, partner);
    await confirm(intent, mintToken(partner, intent));
    app.mode = 'no_answer';
    const token = mintToken(partner, intent);
    const replies = [await confirm(intent, token), await confirm(intent, token)];
    expect(replies.map(({ status }) => status)).toEqual([200, 401]);
    expect([await statusOf(intent), await usesOf(intent), await payoutsOf(intent)]).toEqual([
      'authorized',
      2,
      0,
    ]);
  });

  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'on an intent that is %s is 409, and stays unused',
    async (status) => {
      const intent = await anIntent(bed, partner, { status });
      const token = mintToken(partner, intent);
      const replies = [await confirm(intent, token), await confirm(intent, token)];
      expect(replies.map((reply) => reply.status)).toEqual([409, 409]);
      expect(replies[0]?.text).toBe(
        `{"error":"conflict","message":"The intent's state does not allow this."}`,
      );
      expect(await usesOf(intent)).toBe(0);
    },
  );

  it('after the deadline is 409, and the intent is expired', async () => {
    const intent = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    const token = mintToken(partner, intent);
    await bed.setNow(secondsAfter(NOON, 60));
    expect(await confirm(intent, token)).toMatchObject({ status: 409 });
    expect(await statusOf(intent)).toBe('expired');
  });

  it('raced by nine others: every one is answered from the rows, and one payout is sent', async () => {
    const intent = await anIntent(bed, partner);
    const replies = await times(10, () => confirm(intent, mintToken(partner, intent)));
    expect(replies.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect([await statusOf(intent), await payoutsOf(intent)]).toEqual(['captured', 1]);
  });
});

describe('when orchestration gives no answer', () => {
  it('and the row is undecided: 503 with Retry-After, and the token works when repeated', async () => {
    const intent = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    app.mode = 'no_answer';
    const lost = await confirm(intent, token);
    expect([lost.status, lost.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(lost.text)).toMatchObject({ error: 'internal_error' });
    app.mode = 'settle';
    const repeat = await confirm(intent, token);
    expect(repeat.status).toBe(200);
    expect(JSON.parse(repeat.text)).toMatchObject({ status: 'captured' });
  });

  it.each(['authorized', 'captured'] as const)(
    'but the token did authorize: its repeat is 200 with today’s status, %s, and once only',
    async (status) => {
      const intent = await anIntent(bed, partner);
      const token = mintToken(partner, intent, { jti: `lost ${status}` });
      await authorizeUnanswered(intent, `lost ${status}`, status);
      app.mode = 'no_answer';
      const replies = [await confirm(intent, token), await confirm(intent, token)];
      expect(replies.map((reply) => reply.status)).toEqual([200, 401]);
      expect(JSON.parse(replies[0]?.text ?? '')).toMatchObject({ status });
    },
  );
});

/** What a confirm leaves behind whose process died before it could answer. */
async function authorizeUnanswered(
  { intentId, amountUsdCents }: PaymentIntent,
  jti: string,
  status: 'authorized' | 'captured',
): Promise<void> {
  const authorize = { intentId, from: 'created', event: 'authorize', actor: 'payer' } as const;
  await bed.intents.transition({ ...authorize, token: aTokenUse(partner, jti) });
  if (status === 'authorized') return;
  await bed.funds.debit(intentId, amountUsdCents);
  await bed.intents.transition({ intentId, from: 'authorized', event: 'capture', actor: 'system' });
}
