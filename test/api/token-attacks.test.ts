// The attacks on session tokens that are known from elsewhere, each refused on its own: against the real API, with the
// key set really fetched over HTTP (spec, "Session JWT"; decisions 8, 9 and 110).
import { createHmac, createPublicKey, createSign, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { createKeySetFetcher } from '../../src/http/key-set-fetcher';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { listen } from '../../src/main/listen';
import { startApp, type TestApp } from '../support/app';
import { anIntent, openTestBed, times, type TestBed } from '../support/builders';
import { NOON, secondsAfter } from '../support/clock';
import {
  aPartner,
  aSessionKey,
  claimsFor,
  mintToken,
  signToken,
  type TestPartner,
} from '../support/partner';
import { NOW } from './bad-tokens';

let bed: TestBed;
let outbound: Outbound;
let app: TestApp;
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;
let keyServer: Server;
let keyServerUrl: string;
let fetched: string[] = [];
const published = new Map<string, readonly object[]>();
/** What the key server does instead of serving, while a test says so. */
let behaviour: RequestListener | undefined;

const serve: RequestListener = (request, response) => {
  fetched.push(request.url ?? '');
  if (behaviour !== undefined) behaviour(request, response);
  else response.end(JSON.stringify({ keys: published.get(request.url ?? '') ?? [] }));
};

beforeAll(async () => {
  bed = await openTestBed();
  outbound = createOutbound();
  keyServer = createServer(serve);
  keyServerUrl = `http://127.0.0.1:${String(await listen(keyServer, 0, '127.0.0.1'))}`;
  partner = await aServedPartner('victim');
  other = await aServedPartner('attacker');
  intent = await anIntent(bed, partner);
});
afterAll(async () => {
  await outbound.close();
  keyServer.closeAllConnections();
  keyServer.close();
  await bed.close();
});
beforeEach(async () => {
  // A fresh process, so that no key set is remembered.
  app = await startApp(bed, { keySets: createKeySetFetcher(outbound) });
  behaviour = undefined;
  fetched = [];
  for (const { partnerId, jwks } of [partner, other]) published.set(pathOf(partnerId), jwks.keys);
});
afterEach(() => app.close());

function pathOf(name: string): string {
  return `/${name}/.well-known/jwks.json`;
}

function aServedPartner(name: string): Promise<TestPartner> {
  return aPartner(bed, { name, jwksUrl: `${keyServerUrl}${pathOf(name)}` });
}

const get = (token: string) =>
  app.send({
    path: `/v1/payment_intents/${intent.intentId}`,
    headers: { Authorization: `Bearer ${token}` },
  });

async function expectRefused(token: string, reason: string): Promise<void> {
  app.refusals.length = 0;
  expect(await get(token)).toMatchObject({
    status: 401,
    text: '{"error":"authentication_failed","message":"Authentication failed."}',
  });
  expect(app.refusals).toEqual([reason]);
}

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
    const header = { alg: 'RS256', kid: 'own', [member]: `${keyServerUrl}/evil` };
    await expectRefused(
      signedBy(own.privateKey, header, claimsFor(partner, intent)),
      'kid_unknown',
    );
    expect(fetched).not.toContain('/evil');
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
    published.set(pathOf(partner.partnerId), [...partner.jwks.keys, second.jwk]);
    await expectRefused(mintToken(partner, intent), 'kid_unknown');
    await expectRefused(mintToken({ ...partner, ...second }, intent), 'kid_unknown');
  });

  it.each([
    ['of 1024 bits', () => aSessionKey('weak', 1_024), {}],
    ['for encryption', () => aSessionKey('weak'), { use: 'enc' }],
    ['of another algorithm', () => aSessionKey('weak'), { alg: 'RS512' }],
  ])('of a published key %s', async (_name, make, members) => {
    const weak = make();
    published.set(pathOf(partner.partnerId), [...partner.jwks.keys, { ...weak.jwk, ...members }]);
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
    const production = await startApp(bed, {
      environment: 'prod',
      keySets: createKeySetFetcher(outbound),
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
    expect(fetched).toEqual([]);
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

describe('a key-set address', () => {
  /** The answer to the attack, then to a good token once the address serves again. */
  async function expectRefusedThenTaken(attack: RequestListener): Promise<void> {
    behaviour = attack;
    await expectRefused(mintToken(partner, intent), 'kid_unknown');
    expect(fetched.every((path) => path === pathOf(partner.partnerId))).toBe(true);
    behaviour = undefined;
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
  }

  it('that redirects is not followed', async () => {
    await expectRefusedThenTaken((_, response) => {
      response.writeHead(302, { Location: `${keyServerUrl}${pathOf('attacker')}` }).end();
    });
  });

  it('that hangs is given up, and keeps nobody else waiting', async () => {
    const hanging: ServerResponse[] = [];
    behaviour = (_, response) => hanging.push(response);
    const waiting = get(mintToken(partner, intent));
    expect(await app.sendSigned(partner, { path: `/v1/payment_intents/x` })).toMatchObject({
      status: 404,
    });
    expect(await waiting).toMatchObject({ status: 401 });
    hanging.forEach((response) => response.destroy());
  });

  it('that answers 5 MB is not read to its end', async () => {
    await expectRefusedThenTaken((_, response) => {
      response.on('error', () => undefined).end(' '.repeat(5_000_000));
    });
  });

  it('that answers an empty set', async () => {
    await expectRefusedThenTaken((_, response) => response.end('{"keys":[]}'));
  });

  it.each(['', 'null', '[]', '{}', '{"keys":{}}', 'not json', '{"keys":[null,1,"x",[]]}'])(
    'that answers %s',
    async (text) => {
      await expectRefusedThenTaken((_, response) => response.end(text));
    },
  );
});

describe('a flood of a thousand unknown kids', () => {
  it('costs the partner a handful of fetches, and leaves its good keys and other partners working', async () => {
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    const flood = times(1_000, (index) =>
      get(mintToken(partner, intent, {}, { kid: `kid-${String(index)}` })),
    );
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set([401]));
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    expect(fetched.length).toBeLessThanOrEqual(11);
    expect(app.keySetUses.filter((outcome) => outcome === 'throttled').length).toBeGreaterThan(900);
    expect(await get(mintToken(other, intent))).toMatchObject({ status: 401 });
    expect(app.refusals.at(-1)).toBe('issuer_of_another_partner');
  });
});

describe('the age of attestations that a partner may limit', () => {
  it.each([
    ['kyc', 3_600, 3_600, 200],
    ['kyc', 3_600, 3_601, 401],
    ['sanctions', 60, 60, 200],
    ['sanctions', 60, 61, 401],
  ])('%s: at most %d s, of %d s, answers %d', async (kind, maxAge, age, status) => {
    const limited = await aServedPartner(`limited-${kind}-${String(age)}`);
    published.set(pathOf(limited.partnerId), limited.jwks.keys);
    await bed.database.query({
      text: `update partners set ${kind}_max_age_seconds = $2 where partner_id = $1`,
      values: [limited.partnerId, maxAge],
    });
    const at = secondsAfter(NOON, -age).toISOString();
    intent = await anIntent(bed, limited);
    const token = mintToken(limited, intent, {
      'service:kyc_attestation': { verified: true, method: 'document', verified_at: at },
      'service:sanctions_attestation': { clean: true, screened_at: at },
    });
    expect(await get(token)).toMatchObject({ status });
  });
});
