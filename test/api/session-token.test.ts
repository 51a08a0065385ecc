// Spec, "Session JWT", "Verification order"; decisions 7 to 9. Each of the eleven steps fails alone, on GET and on confirm.
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { withApi } from '../support/brackets';
import { anIntent } from '../support/builders';
import { mintToken, type Claims } from '../support/partner';
import { BAD_TOKENS, kyc, NOW } from './bad-tokens';

const { bed, app, partner, other } = withApi();
let intent: PaymentIntent;
beforeAll(async () => {
  intent = await anIntent(bed, partner);
});
beforeEach(() => {
  app.refusals.length = 0;
});

const pathOf = (intentId: string) => `/v1/payment_intents/${intentId}`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const get = (token: string, intentId: string = intent.intentId) =>
  app.send({ path: pathOf(intentId), headers: bearer(token) });
const confirm = (token: string, intentId: string = intent.intentId) =>
  app.send({ method: 'POST', path: `${pathOf(intentId)}/confirm`, headers: bearer(token) });

const CASES = BAD_TOKENS.map((bad) => [bad.step, bad.name, bad] as const);

describe('a session token is refused with 401 at step', () => {
  it.each(CASES)('%s: %s, by GET', async (_step, _name, { mint, reason }) => {
    expect(await get(mint({ partner, other, intent }))).toMatchObject({ status: 401 });
    expect(app.refusals).toEqual([reason]);
  });

  it.each(CASES)('%s: %s, by confirm', async (_step, _name, { mint, reason }) => {
    expect(await confirm(mint({ partner, other, intent }))).toMatchObject({ status: 401 });
    expect(app.refusals).toEqual([reason]);
  });
});

describe('an earlier step wins over a later one', () => {
  it.each<[string, Claims]>([
    ['issuer_unknown', { iss: 'https://evil.example', aud: 'x' }],
    ['aud_wrong', { aud: 'x', exp: NOW - 1 }],
    ['not_valid_now', { iat: NOW - 901, exp: NOW - 1 }],
    ['not_valid_now', { nbf: NOW + 1, exp: NOW + 601 }],
    ['lifetime_over_600_s', { exp: NOW + 601, 'service:amount_usd_cents': 1 }],
    ['amount_differs', { 'service:amount_usd_cents': 1, 'service:corridor': 'x' }],
    ['corridor_differs', { 'service:corridor': 'x', ...kyc({ verified: false }) }],
  ])('%s', async (reason, claims) => {
    await get(mintToken(partner, intent, claims));
    expect(app.refusals).toEqual([reason]);
  });
});

describe('a session token is taken', () => {
  it.each<[string, Claims]>([
    ['as minted', {}],
    ['in the last second of its life', { iat: NOW - 599, exp: NOW + 1 }],
    ['with an iat 60 s ahead', { iat: NOW + 60, exp: NOW + 600 }],
    ['from its nbf on', { nbf: NOW }],
    ['with a claim that is not documented', { extra: true }],
    ['with attestations of 60 s ahead', kyc({ verified_at: '2026-03-02T12:01:00Z' })],
  ])('%s', async (_name, claims) => {
    expect(await get(mintToken(partner, intent, claims))).toMatchObject({ status: 200 });
  });

  it('with an attestation time in RFC 3339 of any offset', async () => {
    const token = mintToken(partner, intent, kyc({ verified_at: '2026-03-02T18:30:00+07:00' }));
    expect(await get(token)).toMatchObject({ status: 200 });
  });

  it.each(['', '/', '/.well-known/jwks.json'])(
    'with the registered issuer written with "%s" at its end',
    async (end) => {
      const iss = `https://${partner.partnerId}.example${end}`;
      expect(await get(mintToken(partner, intent, { iss }))).toMatchObject({ status: 200 });
    },
  );

  it('by GET as often as it is shown: GET never consumes a jti', async () => {
    const token = mintToken(partner, intent);
    const replies = [await get(token), await get(token)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });
});
