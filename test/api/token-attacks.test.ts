// The attacks on session tokens that are known from elsewhere, each refused on its own: against the real API, with the
// key set really fetched over HTTP (spec, "Session JWT"; decisions 8, 9 and 110).
import { createHmac, createPublicKey, createSign, type KeyObject } from 'node:crypto';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import { startApp } from '../support/app';
import { aSessionKey, claimsFor, mintToken, signToken, type TestPartner } from '../support/partner';
import { NOW } from './bad-tokens';
import { expectRefusal, getWith, inTokenWorld, keySetPath } from './token-world';

const world = inTokenWorld();
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;
beforeEach(() => {
  ({ partner, other, intent } = world);
});

const { published } = world;
const get = (token: string) => getWith(world, token);
const expectRefused = (token: string, reason: string) => expectRefusal(world, token, reason);

function signedBy(key: KeyObject, header: object, claims: unknown): string {
  return signToken({ ...header }, claims, (text) =>
    createSign('RSA-SHA256').update(text).sign(key),
  );
}

/** The payload as this exact text, signed by the partner. */
function withPayload(payload: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: partner.kid }));
  const text = `${header.toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
  const signature = createSign('RSA-SHA256').update(text).sign(partner.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

it('the good token is taken, so that the others are refused for what is wrong with them', async () => {
  expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
});

describe('the algorithm', () => {
  it('"none", with an empty signature', async () => {
    const [, claims] = mintToken(partner, intent).split('.');
    const none = Buffer.from(`{"alg":"none","kid":"${partner.kid}"}`).toString('base64url');
    await expectRefused(`${none}.${claims ?? ''}.`, 'token_malformed');
  });

  it('"none", with any signature', async () => {
    await expectRefused(mintToken(partner, intent, {}, { alg: 'none' }), 'token_malformed');
  });

  it.each(['spki', 'pkcs1'] as const)('HS256, keyed with the public key as %s', async (type) => {
    const pem = createPublicKey(partner.privateKey).export({ type, format: 'pem' });
    const token = signToken(
      { alg: 'HS256', kid: partner.kid },
      claimsFor(partner, intent),
      (text) => createHmac('sha256', pem).update(text).digest(),
    );
    await expectRefused(token, 'token_malformed');
  });

  it.each(['RS384', 'RS512', 'PS256', 'ES256', 'EdDSA', 'rs256'])('%s', async (alg) => {
    await expectRefused(mintToken(partner, intent, {}, { alg }), 'token_malformed');
  });
});

describe('a key that the token brings along', () => {
  it('as an embedded jwk is not used', async () => {
    const own = aSessionKey(partner.kid);
    const header = { alg: 'RS256', kid: partner.kid, jwk: own.jwk };
    await expectRefused(
      signedBy(own.privateKey, header, claimsFor(partner, intent)),
      'signature_wrong',
    );
  });

  it.each(['jku', 'x5u'])('at an address in %s is not fetched', async (member) => {
    const own = aSessionKey('own');
    published.set('/evil', [own.jwk]);
    const header = { alg: 'RS256', kid: 'own', [member]: `${world.keyServerUrl}/evil` };
    await expectRefused(
      signedBy(own.privateKey, header, claimsFor(partner, intent)),
      'kid_unknown',
    );
    expect(world.fetched).not.toContain('/evil');
  });

  it('in a critical extension is refused unread', async () => {
    await expectRefused(mintToken(partner, intent, {}, { crit: ['b64'] }), 'token_malformed');
  });
});

describe('the kid', () => {
  it('that nobody has published', async () => {
    await expectRefused(mintToken(partner, intent, {}, { kid: 'nobody' }), 'kid_unknown');
  });

  it.each(['__proto__', 'constructor', 'toString', '../../etc/passwd', "' or 1=1 --", '\u0000'])(
    'that is "%s"',
    async (kid) => {
      await expectRefused(mintToken(partner, intent, {}, { kid }), 'kid_unknown');
    },
  );

  it('that two published keys claim is nobody’s', async () => {
    const second = aSessionKey(partner.kid);
    published.set(keySetPath(partner.partnerId), [...partner.jwks.keys, second.jwk]);
    await expectRefused(mintToken(partner, intent), 'kid_unknown');
    await expectRefused(mintToken({ ...partner, ...second }, intent), 'kid_unknown');
  });

  it.each([
    ['of 1024 bits', () => aSessionKey('weak', 1_024), {}],
    ['for encryption', () => aSessionKey('weak'), { use: 'enc' }],
    ['of another algorithm', () => aSessionKey('weak'), { alg: 'RS512' }],
  ])('of a published key %s', async (_name, make, members) => {
    const weak = make();
    published.set(keySetPath(partner.partnerId), [
      ...partner.jwks.keys,
      { ...weak.jwk, ...members },
    ]);
    await expectRefused(mintToken({ ...partner, ...weak }, intent), 'kid_unknown');
  });
});

describe('another partner', () => {
  it('with its own good token for our intent', async () => {
    await expectRefused(mintToken(other, intent), 'issuer_of_another_partner');
  });

  it('with its key under our issuer', async () => {
    await expectRefused(mintToken({ ...other, issuer: partner.issuer }, intent), 'kid_unknown');
  });

  it('with its key under our issuer and our kid', async () => {
    const forged = { ...other, issuer: partner.issuer, kid: partner.kid };
    await expectRefused(mintToken(forged, intent), 'signature_wrong');
  });

  it('of the other environment', async () => {
    const production = await startApp(world.bed, {
      environment: 'prod',
      keySets: createKeySetFetcher(world.outbound),
    });
    const reply = await production.send({
      path: `/v1/payment_intents/${intent.intentId}`,
      headers: { Authorization: `Bearer ${mintToken(partner, intent)}` },
    });
    await production.close();
    expect([reply.status, production.refusals]).toEqual([401, ['issuer_unknown']]);
  });
});

describe('an issuer that looks like the registered one', () => {
  it.each([
    ['with another host', (iss: string) => iss.replace('127.0.0.1', 'localhost')],
    [
      'with the host continued',
      (iss: string) => iss.replace('127.0.0.1', '127.0.0.1.evil.example'),
    ],
    ['with user info', (iss: string) => iss.replace('//', '//evil.example@')],
    ['in capitals', (iss: string) => iss.toUpperCase()],
    ['with a query', (iss: string) => `${iss}?a=b`],
    ['with a fragment', (iss: string) => `${iss}#`],
    ['with two slashes at its end', (iss: string) => `${iss}//`],
    ['with a step up', (iss: string) => `${iss}/x/..`],
    ['with an escape', (iss: string) => iss.replace('victim', '%76ictim')],
    ['with a blank', (iss: string) => `${iss} `],
    ['with a newline', (iss: string) => `${iss}\n`],
    ['with a Cyrillic letter', (iss: string) => iss.replace('victim', 'v\u0456ctim')],
    ['that is a member of every object', () => '__proto__'],
  ])('%s', async (_name, change) => {
    const iss = change(partner.issuer);
    await expectRefused(mintToken(partner, intent, { iss }), 'issuer_unknown');
    expect(world.fetched).toEqual([]);
  });
});

describe('the payload', () => {
  const good = () => JSON.stringify(claimsFor(partner, intent));

  it('with a member twice', async () => {
    const twice = good().replace('{', `{"service:amount_usd_cents":1,`);
    await expectRefused(withPayload(twice), 'token_malformed');
  });

  it('with a member twice, once in escapes', async () => {
    const twice = good().replace('{', `{"\\u0061ud":"service-checkout",`);
    await expectRefused(withPayload(twice), 'token_malformed');
  });

  it('with a __proto__ member', async () => {
    const inherited = good().replace('{', `{"__proto__":{"admin":true},`);
    await expectRefused(withPayload(inherited), 'token_malformed');
  });

  it('of 20 kB', async () => {
    await expectRefused(
      mintToken(partner, intent, { extra: 'x'.repeat(20_000) }),
      'token_malformed',
    );
  });

  it('that is deep', async () => {
    const deep = good().replace('{', `{"extra":${'['.repeat(2_000)}${']'.repeat(2_000)},`);
    await expectRefused(withPayload(deep), 'token_malformed');
  });

  it.each<[string, object]>([
    ['aud as a list', { aud: ['service-checkout'] }],
    ['iat as a string', { iat: String(NOW) }],
    ['iat as a fraction', { iat: NOW + 0.5 }],
    ['exp beyond all numbers', { exp: 1e300 }],
    ['an amount as a string', { 'service:amount_usd_cents': '1250' }],
    ['an amount with a fraction', { 'service:amount_usd_cents': 1250.5 }],
  ])('with %s', async (_name, claims) => {
    await expectRefused(mintToken(partner, intent, { ...claims }), 'token_malformed');
  });
});
