// The two reads of the checkout page outside `/v1`: the session before the confirmation (decision
// 116) and the status after it (decision 29).
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { bearer, type Reply } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, aNonce, aTokenUse, move } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { NO_DETAILS } from '../../support/payments/answers';
import { mintToken, sign } from '../../support/payments/partner';
import { recordSent } from '../../support/payments/payouts';

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

type Send = (of: PaymentIntent, token: string) => Promise<Reply>;
const senderOf =
  (end: string): Send =>
  ({ intentId }, by) =>
    app.send({ path: `/flow/${intentId}/${end}`, headers: bearer(by) });
const session = senderOf('session');
/** The log lines about the scheme that the page names when it reads the session. */
async function unregistered(scheme: string): Promise<readonly unknown[]> {
  const headers = { ...bearer(token), 'X-Return-Scheme': scheme };
  const reply = await app.send({ path: `/flow/${intent.intentId}/session`, headers });
  expect(reply.status).toBe(200);
  const lines = app.lines.filter(
    (line) => line.includes(intent.intentId) && line.includes('scheme'),
  );
  return lines.map((line) => JSON.parse(line) as unknown);
}
const status = senderOf('status');
const confirm: Send = (of, by) => app.confirm(of, by);
const REJECTED = {
  status: 401,
  text: '{"error":"authentication_failed","message":"Authentication failed."}',
};

describe('GET /flow/<intent_id>/session', () => {
  it('returns what the page shows, and the schemes of the partner', async () => {
    const { status: code, text } = await session(intent, token);
    expect([code, JSON.parse(text)]).toEqual([
      200,
      {
        status: 'created',
        is_open: true,
        amount_usd_cents: 1_250,
        corridor: 'th_qrpay',
        expires_in_seconds: 600,
        return_schemes: ['siam-travel', 'siam-travel-two'],
        partner: null,
      },
    ]);
  });

  it('returns the remaining time of the token or of the intent, whichever is less', async () => {
    const brief = await anIntent(bed, partner, { timeToLiveSeconds: 60 });
    const { text } = await session(brief, mintToken(partner, brief));
    expect(JSON.parse(text)).toMatchObject({ expires_in_seconds: 60 });
  });

  it('returns the schemes that are registered at that moment', async () => {
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

  it.each([
    ['another-app', 'another-app'],
    ['saigon-rides', 'saigon-rides'],
    ['javascript', 'not the scheme of an app'],
    ["' or 1=1", 'not the scheme of an app'],
  ])('logs the scheme of a link that is not registered: %s', async (scheme, logged) => {
    expect(await unregistered(scheme)).toEqual([
      {
        partner_id: partner.partnerId,
        intent_id: intent.intentId,
        return_scheme: logged,
        message: 'the return scheme of a checkout link is not registered',
      },
    ]);
  });

  it.each(['siam-travel', 'SIAM-TRAVEL'])(
    'logs no scheme that is registered: %s',
    async (scheme) => {
      expect(await unregistered(scheme)).toEqual([]);
    },
  );

  it('does not use up the token', async () => {
    for (let time = 0; time < 3; time += 1) await session(intent, token);
    expect(await confirm(intent, token)).toMatchObject({ status: 200 });
  });

  it('rejects another intent’s token, a used one, and any of a settled intent', async () => {
    const settled = await anIntent(bed, partner, { status: 'captured' });
    expect(await session(await anIntent(bed, partner), token)).toMatchObject(REJECTED);
    await confirm(intent, token);
    expect(await session(intent, token)).toMatchObject(REJECTED);
    expect(await session(settled, mintToken(partner, settled))).toMatchObject(REJECTED);
    expect(app.rejections).toEqual(['bound_to_another_intent', 'jti_used', 'state_not_open']);
  });
});

describe('GET /flow/<intent_id>/status', () => {
  it('returns only the status until it is terminal, to the token that confirmed', async () => {
    app.mode = 'authorize';
    await confirm(intent, token);
    expect(await status(intent, token)).toMatchObject({
      status: 200,
      text: '{"status":"authorized"}',
    });
  });

  const UNKNOWN = { payee: null, local: null, reference: null, code: null };

  it.each(['fail', 'cancel'] as const)(
    'returns a receipt with the time of the status, and nothing else, after %s',
    async (event) => {
      app.mode = 'authorize';
      await confirm(intent, token);
      const at = secondsAfter(NOON, 1.234);
      await bed.setNow(at);
      const from = event === 'cancel' && ({ from: 'authorized' } as const);
      const { status: ended } = await move(bed, intent.intentId, event, { ...from });
      const { text } = await status(intent, token);
      const receipt = { ...UNKNOWN, at: at.toISOString() };
      expect(JSON.parse(text)).toEqual({ status: ended, receipt });
    },
  );

  it('returns a receipt of what the payee got', async () => {
    app.mode = 'authorize';
    await confirm(intent, token);
    await bed.funds.debit(intent.intentId, intent.amountUsdCents);
    await recordSent(bed, intent.intentId);
    const local = { currency: 'THB', minor: 43_125 } as const;
    const details = { ...NO_DETAILS, reference: 'SB-1', local };
    const terms = { ...intent, createdAtMs: +intent.createdAt };
    await bed.intents.capturePaid(intent.intentId, terms, details);
    const { text } = await status(intent, token);
    const paid = { reference: 'SB-1', local: { currency: 'THB', amount: 43_125 } };
    const receipt = { ...UNKNOWN, ...paid, at: NOON.toISOString() };
    expect(JSON.parse(text)).toEqual({ status: 'captured', receipt });
  });

  it('returns the status also when the confirm was never answered', async () => {
    const jti = aNonce();
    token = mintToken(partner, intent, { jti });
    await move(bed, intent.intentId, 'authorize', { token: aTokenUse(partner, jti) });
    expect(await status(intent, token)).toMatchObject({ text: '{"status":"authorized"}' });
    // Reading the status does not answer the confirm: its repeat still gets its 200.
    expect(await confirm(intent, token)).toMatchObject({ status: 200 });
  });

  it('returns the status to a second token that confirmed the same intent', async () => {
    app.mode = 'authorize';
    const [first, second] = [token, mintToken(partner, intent)];
    await confirm(intent, first);
    expect(await status(intent, second)).toMatchObject(REJECTED);
    expect(await confirm(intent, second)).toMatchObject({ status: 200 });
    expect(await status(intent, second)).toMatchObject({ text: '{"status":"authorized"}' });
  });

  it('returns the status until the token’s exp', async () => {
    await confirm(intent, token);
    await bed.setNow(secondsAfter(NOON, 599));
    const { text } = await status(intent, token);
    expect(JSON.parse(text)).toMatchObject({ status: 'captured', receipt: { payee: null } });
    await bed.setNow(secondsAfter(NOON, 600));
    expect(await status(intent, token)).toMatchObject(REJECTED);
    expect(app.rejections).toEqual(['not_valid_now']);
  });

  it('rejects a token that has confirmed nothing', async () => {
    expect(await status(intent, token)).toMatchObject(REJECTED);
    const settled = await anIntent(bed, partner, { status: 'captured' });
    expect(await status(settled, mintToken(partner, settled))).toMatchObject(REJECTED);
    expect(app.rejections).toEqual(['jti_not_used', 'jti_not_used']);
  });

  it('rejects a token for another intent, by its path or by a jti used elsewhere', async () => {
    const [another, jti] = [await anIntent(bed, partner), aNonce()];
    token = mintToken(partner, intent, { jti });
    await confirm(intent, token);
    await confirm(another, mintToken(partner, another));
    expect(await status(another, token)).toMatchObject(REJECTED);
    expect(await status(another, mintToken(partner, another, { jti }))).toMatchObject(REJECTED);
    expect(await status(intent, mintToken(other, intent, { jti }))).toMatchObject(REJECTED);
    expect(app.rejections).toEqual([
      'bound_to_another_intent',
      'jti_not_used',
      'issuer_of_another_partner',
    ]);
  });
});

describe.each(['session', 'status'])('GET /flow/<intent_id>/%s', (end) => {
  it('rejects a signed request, and a token together with a signature', async () => {
    const path = `/flow/${intent.intentId}/${end}`;
    const signature = sign(partner, { method: 'GET', path });
    const both = { ...signature, ...bearer(token) };
    expect(await app.send({ path, headers: signature })).toMatchObject(REJECTED);
    expect(await app.send({ path, headers: both })).toMatchObject(REJECTED);
  });

  it('answers all rejections alike except for the request id', async () => {
    const wrong = [mintToken(partner, intent, { aud: 'x' }), mintToken(other, intent), 'a.b.c'];
    const replies = await Promise.all(wrong.map((token) => senderOf(end)(intent, token)));
    const names = replies.map(({ rawHeaders }) => rawHeaders.filter((_, at) => at % 2 === 0));
    expect(new Set(names.map((list) => list.join())).size).toBe(1);
    expect(new Set(replies.map(({ text }) => text))).toEqual(new Set([REJECTED.text]));
  });
});
