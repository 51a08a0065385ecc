// The two questions of the checkout page outside `/v1`: what a session is for, before the
// confirmation (decision 116), and what became of it, afterwards (decision 29).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { bearer, type Reply } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, aNonce, aTokenUse, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { mintToken, sign } from '../../support/payments/partner';

const { bed, app, partner, other } = withApi({
  partner: { returnSchemes: ['siam-travel', 'siam-travel-two'] },
  other: { returnSchemes: ['saigon-rides'] },
});
let intent: PaymentIntent;
let token: string;
beforeEach(async () => {
  intent = await anIntent(bed, partner);
  token = mintToken(partner, intent);
});

type Ask = (of: PaymentIntent, token: string) => Promise<Reply>;
const asker =
  (end: string): Ask =>
  ({ intentId }, by) =>
    app.send({ path: `/flow/${intentId}/${end}`, headers: bearer(by) });
const session = asker('session');
const status = asker('status');
const confirm: Ask = (of, by) => app.confirm(of, by);
const REFUSED = {
  status: 401,
  text: '{"error":"authentication_failed","message":"Authentication failed."}',
};

describe('GET /flow/<intent_id>/session', () => {
  it('tells the bearer what the page shows, and the schemes of the partner', async () => {
    const { status: code, text } = await session(intent, token);
    expect([code, JSON.parse(text)]).toEqual([
      200,
      {
        status: 'created',
        amount_usd_cents: 1_250,
        corridor: 'th_qrpay',
        expires_in_seconds: 600,
        return_schemes: ['siam-travel', 'siam-travel-two'],
      },
    ]);
  });

  it('tells the time that is left of the token, or of the intent where that is less', async () => {
    const brief = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    const { text } = await session(brief, mintToken(partner, brief));
    expect(JSON.parse(text)).toMatchObject({ expires_in_seconds: 60 });
  });

  it('tells schemes as they are registered at that moment', async () => {
    const schemes = (list: string[]) =>
      bed.database.query({
        text: 'update partners set return_schemes = $2 where partner_id = $1',
        values: [other.partnerId, list],
      });
    const theirs = await anIntent(bed, other);
    for (const list of [['new-scheme'], []]) {
      await schemes(list);
      const { text } = await session(theirs, mintToken(other, theirs));
      expect(JSON.parse(text)).toMatchObject({ return_schemes: list });
    }
  });

  it('uses nothing up', async () => {
    for (let time = 0; time < 3; time += 1) await session(intent, token);
    expect(await confirm(intent, token)).toMatchObject({ status: 200 });
  });

  it('is refused by another intent’s token, by a used one, and once the intent is settled', async () => {
    const settled = await anIntent(bed, partner, { status: 'captured' });
    expect(await session(await anIntent(bed, partner), token)).toMatchObject(REFUSED);
    await confirm(intent, token);
    expect(await session(intent, token)).toMatchObject(REFUSED);
    expect(await session(settled, mintToken(partner, settled))).toMatchObject(REFUSED);
    expect(app.rejections).toEqual(['bound_to_another_intent', 'jti_used', 'state_not_open']);
  });
});

describe('GET /flow/<intent_id>/status', () => {
  it('tells the bearer of the token that confirmed it the status, and nothing else', async () => {
    app.mode = 'authorize';
    await confirm(intent, token);
    expect(await status(intent, token)).toMatchObject({
      status: 200,
      text: '{"status":"authorized"}',
    });
    await move(bed, intent.intentId, 'fail');
    expect(await status(intent, token)).toMatchObject({ status: 200, text: '{"status":"failed"}' });
  });

  it('tells it also when nobody has answered the confirm', async () => {
    const jti = aNonce();
    token = mintToken(partner, intent, { jti });
    await move(bed, intent.intentId, 'authorize', { token: aTokenUse(partner, jti) });
    expect(await status(intent, token)).toMatchObject({ text: '{"status":"authorized"}' });
    // And asking has not answered it: the repeat of the confirm has its 200.
    expect(await confirm(intent, token)).toMatchObject({ status: 200 });
  });

  it('tells it to a second token that was taken for the same intent', async () => {
    app.mode = 'authorize';
    const [first, second] = [token, mintToken(partner, intent)];
    await confirm(intent, first);
    expect(await status(intent, second)).toMatchObject(REFUSED);
    expect(await confirm(intent, second)).toMatchObject({ status: 200 });
    expect(await status(intent, second)).toMatchObject({ text: '{"status":"authorized"}' });
  });

  it('tells it until the token’s exp', async () => {
    await confirm(intent, token);
    await bed.setNow(secondsAfter(NOON, 599));
    expect(await status(intent, token)).toMatchObject({ text: '{"status":"captured"}' });
    await bed.setNow(secondsAfter(NOON, 600));
    expect(await status(intent, token)).toMatchObject(REFUSED);
    expect(app.rejections).toEqual(['not_valid_now']);
  });

  it('is refused to a token that has confirmed nothing', async () => {
    expect(await status(intent, token)).toMatchObject(REFUSED);
    const settled = await anIntent(bed, partner, { status: 'captured' });
    expect(await status(settled, mintToken(partner, settled))).toMatchObject(REFUSED);
    expect(app.rejections).toEqual(['jti_not_used', 'jti_not_used']);
  });

  it('never tells of another intent: neither by the path nor by a jti that was used elsewhere', async () => {
    const [another, jti] = [await anIntent(bed, partner), aNonce()];
    token = mintToken(partner, intent, { jti });
    await confirm(intent, token);
    await confirm(another, mintToken(partner, another));
    expect(await status(another, token)).toMatchObject(REFUSED);
    expect(await status(another, mintToken(partner, another, { jti }))).toMatchObject(REFUSED);
    expect(await status(intent, mintToken(other, intent, { jti }))).toMatchObject(REFUSED);
    expect(app.rejections).toEqual([
      'bound_to_another_intent',
      'jti_not_used',
      'issuer_of_another_partner',
    ]);
  });
});

describe.each(['session', 'status'])('GET /flow/<intent_id>/%s', (end) => {
  it('takes no signed request, and no token beside a signature', async () => {
    const path = `/flow/${intent.intentId}/${end}`;
    const signature = sign(partner, { method: 'GET', path });
    const both = { ...signature, ...bearer(token) };
    expect(await app.send({ path, headers: signature })).toMatchObject(REFUSED);
    expect(await app.send({ path, headers: both })).toMatchObject(REFUSED);
  });

  it('tells one rejection from another by nothing but its request id', async () => {
    const wrong = [mintToken(partner, intent, { aud: 'x' }), mintToken(other, intent), 'a.b.c'];
    const replies = await Promise.all(wrong.map((token) => asker(end)(intent, token)));
    const names = replies.map(({ rawHeaders }) => rawHeaders.filter((_, at) => at % 2 === 0));
    expect(new Set(names.map((list) => list.join())).size).toBe(1);
    expect(new Set(replies.map(({ text }) => text))).toEqual(new Set([REFUSED.text]));
  });
});
