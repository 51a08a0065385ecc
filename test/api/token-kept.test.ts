// Decision 6: only a confirm that is accepted consumes the `jti`. A 404, a 409 and a 503 leave it usable.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent, anIntentId, aNonce, countOf } from '../support/builders';
import { mintToken } from '../support/partner';

const { bed, app, partner } = withApi();
beforeEach(async () => {
  app.mode = 'settle';
  await bed.database.query({ text: 'truncate used_tokens' });
});

const statusOfConfirm = async ({ intentId }: PaymentIntent, token: string) => {
  const path = `/v1/payment_intents/${intentId}/confirm`;
  const headers = { Authorization: `Bearer ${token}` };
  return (await app.send({ method: 'POST', path, headers })).status;
};
const usedTokens = () => countOf(bed, 'select count(*) from used_tokens');

describe('a jti is not lost', () => {
  it('to a 404: the token confirms once the intent is there', async () => {
    const awaited = { ...(await anIntent(bed, partner)), intentId: anIntentId() };
    const token = mintToken(partner, awaited);
    expect(await statusOfConfirm(awaited, token)).toBe(404);
    expect(await usedTokens()).toBe(0);
    await anIntent(bed, partner, { intentId: awaited.intentId });
    expect(await statusOfConfirm(awaited, token)).toBe(200);
  });

  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'to a 409 of an intent that is %s: another intent is confirmed with it',
    async (status) => {
      const jti = aNonce();
      const settled = await anIntent(bed, partner, { status });
      expect(await statusOfConfirm(settled, mintToken(partner, settled, { jti }))).toBe(409);
      expect(await usedTokens()).toBe(0);
      const open = await anIntent(bed, partner);
      expect(await statusOfConfirm(open, mintToken(partner, open, { jti }))).toBe(200);
    },
  );

  it('to a 503, however often it comes', async () => {
    const intent = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    app.mode = 'no_answer';
    expect(await statusOfConfirm(intent, token)).toBe(503);
    expect(await statusOfConfirm(intent, token)).toBe(503);
    expect(await usedTokens()).toBe(0);
    app.mode = 'settle';
    expect(await statusOfConfirm(intent, token)).toBe(200);
  });

  it('to a 401 of another step: the intent’s own token with it confirms', async () => {
    const jti = aNonce();
    const intent = await anIntent(bed, partner);
    const wrong = mintToken(partner, intent, { jti, 'service:amount_usd_cents': 1 });
    expect(await statusOfConfirm(intent, wrong)).toBe(401);
    expect(await statusOfConfirm(intent, mintToken(partner, intent, { jti }))).toBe(200);
  });

  it('but to its 200 it is: every later confirm with it is 401', async () => {
    const jti = aNonce();
    const intent = await anIntent(bed, partner);
    expect(await statusOfConfirm(intent, mintToken(partner, intent, { jti }))).toBe(200);
    const other = await anIntent(bed, partner);
    expect(await statusOfConfirm(other, mintToken(partner, other, { jti }))).toBe(401);
  });
});
