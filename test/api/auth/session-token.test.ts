// Session tokens on GET and confirm (protocol 4.7 and 5.1; decisions 6 to 9). statements.test.ts
// makes each of the eleven steps fail alone.
import { bearer, pathOf } from '../../support/app';
import { withApi } from '../../support/brackets';
import { anIntent, anIntentId } from '../../support/builders';
import { mintToken, sign, type Claims } from '../../support/payments/partner';
import { kyc, NOW } from './bad-tokens';

const { bed, app, partner, intent } = withApi();

const get = (token: string, of = intent) => app.get(of, token);

describe('the earlier of two failing steps is the reason', () => {
  it.each<[string, Claims]>([
    ['issuer_unknown', { iss: 'https://evil.example', aud: 'x' }],
    ['aud_wrong', { aud: 'x', exp: NOW - 1 }],
    ['not_valid_now', { iat: NOW - 901, exp: NOW - 1 }],
    ['not_valid_now', { nbf: NOW + 6, exp: NOW + 601 }],
    ['lifetime_over_600_s', { exp: NOW + 601, 'service:amount_usd_cents': 1 }],
    ['amount_differs', { 'service:amount_usd_cents': 1, 'service:corridor': 'x' }],
    ['corridor_differs', { 'service:corridor': 'x', ...kyc({ verified: false }) }],
  ])('%s', async (reason, claims) => {
    await get(mintToken(partner, intent, claims));
    expect(app.rejections).toEqual([reason]);
  });
});

describe('a session token is accepted', () => {
  it.each<[string, Claims]>([
    ['as minted', {}],
    ['in the last second of its life', { iat: NOW - 599, exp: NOW + 1 }],
    ['with an iat 300 s ahead', { iat: NOW + 300, exp: NOW + 900 }],
    ['from five seconds before its nbf on', { nbf: NOW + 5 }],
    ['with a claim that is not documented', { extra: true }],
    ['with attestations 60 s ahead', kyc({ verified_at: '2026-03-02T12:01:00Z' })],
  ])('%s', async (_name, claims) => {
    expect(await get(mintToken(partner, intent, claims))).toMatchObject({ status: 200 });
  });

  it('with an attestation time in RFC 3339 of any offset', async () => {
    const token = mintToken(partner, intent, kyc({ verified_at: '2026-03-02T18:30:00+07:00' }));
    expect(await get(token)).toMatchObject({ status: 200 });
  });

  it.each(['', '/', '/.well-known/jwks.json'])(
    'with the registered issuer followed by "%s"',
    async (end) => {
      const iss = `https://${partner.partnerId}.example${end}`;
      expect(await get(mintToken(partner, intent, { iss }))).toMatchObject({ status: 200 });
    },
  );

  it('by GET any number of times, because GET never uses up a jti', async () => {
    const token = mintToken(partner, intent);
    const replies = [await get(token), await get(token)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('the bearer header', () => {
  it.each(['', 'Bearer', 'Bearer ', 'Basic abc', 'bearer', 'Token a.b.c'])(
    '"%s" is 401',
    async (value) => {
      const headers = { Authorization: value };
      expect(await app.send({ path: pathOf(intent), headers })).toMatchObject({ status: 401 });
    },
  );

  it('given twice is 401', async () => {
    const value = `Bearer ${mintToken(partner, intent)}`;
    const headers = { Authorization: [value, value] };
    expect(await app.send({ path: pathOf(intent), headers })).toMatchObject({ status: 401 });
  });

  it.each(['Basic YTpi', 'Digest x', 'Bearer-like x', ''])(
    'of the scheme of "%s" is no token, so a signature beside it is accepted',
    async (value) => {
      const headers = {
        ...sign(partner, { method: 'GET', path: pathOf(intent) }),
        Authorization: value,
      };
      expect(await app.send({ path: pathOf(intent), headers })).toMatchObject({ status: 200 });
    },
  );

  it.each(['bearer', 'BEARER', 'bEARER'])('may write its scheme as %s', async (scheme) => {
    const headers = { Authorization: `${scheme} ${mintToken(partner, intent)}` };
    expect(await app.send({ path: pathOf(intent), headers })).toMatchObject({ status: 200 });
  });

  it.each(['Bearer', 'bearer x', 'Bearer a.b.c'])(
    '"%s" beside a signature is a second kind of credentials',
    async (value) => {
      const signed = sign(partner, { method: 'GET', path: pathOf(intent) });
      const headers = { ...signed, Authorization: value };
      expect(await app.send({ path: pathOf(intent), headers })).toMatchObject({ status: 401 });
      expect(app.rejections).toEqual(['both_kinds_of_credentials']);
    },
  );

  it('together with a signature is 401, on every endpoint', async () => {
    const both = async (method: string, path: string) => {
      const headers = { ...sign(partner, { method, path }), ...bearer(mintToken(partner, intent)) };
      return (await app.send({ method, path, headers })).status;
    };
    expect(await both('GET', pathOf(intent))).toBe(401);
    expect(await both('POST', pathOf(intent, 'confirm'))).toBe(401);
    expect(await both('POST', pathOf(intent, 'cancel'))).toBe(401);
    expect(await both('POST', '/v1/payment_intents')).toBe(401);
    expect(new Set(app.rejections)).toEqual(new Set(['both_kinds_of_credentials']));
  });

  it('is not accepted by create and cancel, which require signatures', async () => {
    const headers = bearer(mintToken(partner, intent));
    for (const path of [pathOf(intent, 'cancel'), '/v1/payment_intents']) {
      expect(await app.send({ method: 'POST', path, headers })).toMatchObject({ status: 401 });
    }
  });
});

describe('a token bound to an intent', () => {
  it('is 403 on GET of another intent, and 401 on its confirm', async () => {
    const another = await anIntent(bed, partner);
    const token = mintToken(partner, intent);
    expect(await get(token, another)).toMatchObject({ status: 403 });
    expect(await app.confirm(another, token)).toMatchObject({ status: 401 });
  });

  it('that does not exist is 404 on both', async () => {
    const nowhere = { ...intent, intentId: anIntentId() };
    const token = mintToken(partner, nowhere);
    expect(await get(token, nowhere)).toMatchObject({ status: 404 });
    expect(await app.confirm(nowhere, token)).toMatchObject({ status: 404 });
  });

  it.each(['captured', 'failed', 'expired', 'cancelled', 'refunded'] as const)(
    'that is %s is 401 on GET',
    async (status) => {
      const settled = await anIntent(bed, partner, { status });
      expect(await get(mintToken(partner, settled), settled)).toMatchObject({ status: 401 });
      expect(app.rejections).toEqual(['state_not_open']);
    },
  );

  it('that is authorized is 200 on GET', async () => {
    const authorized = await anIntent(bed, partner, { status: 'authorized' });
    const token = mintToken(partner, authorized);
    expect(await get(token, authorized)).toMatchObject({ status: 200 });
  });
});
