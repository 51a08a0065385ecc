// Attacks through a partner's key-set URL, floods of unknown key ids (protocol 4.6; decision 110),
// and limits on the age of attestations (decision 9).
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createKeySetFetcher } from '../../../src/http/key-set-fetcher';
import { createOutbound } from '../../../src/http/outbound';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { listen } from '../../../src/main/listen';
import { startApp, type TestApp } from '../../support/app';
import { withDatabase } from '../../support/brackets';
import { anIntent, times } from '../../support/builders';
import { NOON, secondsAfter } from '../../support/clock';
import { aPartner, aSessionKey, mintToken, type TestPartner } from '../../support/payments/partner';

const bed = withDatabase();
const outbound = createOutbound();
const published = new Map<string, readonly object[]>();
/** The paths that were fetched since the test began. */
let fetched: string[];
/** Replaces the normal response of the key server while a test sets it. */
let behaviour: RequestListener | undefined;
let keyServer: Server;
let keyServerUrl: string;
/** A fresh API for every test, so that no key set is cached. */
let app: TestApp;
let partner: TestPartner;
let other: TestPartner;
let intent: PaymentIntent;

beforeAll(async () => {
  keyServer = createServer((request, response) => {
    const path = request.url ?? '';
    fetched.push(path);
    if (behaviour !== undefined) behaviour(request, response);
    else response.end(JSON.stringify({ keys: published.get(path) ?? [] }));
  });
  keyServerUrl = `http://127.0.0.1:${String(await listen(keyServer, 0, '127.0.0.1'))}`;
  [partner, other] = [await aServedPartner('victim'), await aServedPartner('attacker')];
  intent = await anIntent(bed, partner);
});
beforeEach(async () => {
  [fetched, behaviour] = [[], undefined];
  for (const who of [partner, other]) published.set(pathOfKeys(who), who.jwks.keys);
  app = await startApp(bed, { keySets: createKeySetFetcher(outbound) });
});
afterEach(() => app.close());
afterAll(async () => {
  keyServer.closeAllConnections();
  keyServer.close();
  await outbound.close();
});

const aServedPartner = (name: string) =>
  aPartner(bed, { name, jwksUrl: `${keyServerUrl}/${name}/.well-known/jwks.json` });
const pathOfKeys = ({ jwks_url }: TestPartner) => new URL(jwks_url).pathname;
const get = (token: string, of = intent) => app.get(of, token);

async function expectRejected(token: string, reason: string): Promise<void> {
  app.rejections.length = 0;
  expect(await get(token)).toMatchObject({
    status: 401,
    text: '{"error":"authentication_failed","message":"Authentication failed."}',
  });
  expect(app.rejections).toEqual([reason]);
}

describe('a key set over HTTP', () => {
  it('is fetched once for twenty requests', async () => {
    const replies = await times(20, () => get(mintToken(partner, intent)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(fetched).toHaveLength(1);
  });

  it('with a rotated key verifies tokens of the new and of the old key', async () => {
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    const next = aSessionKey(`${partner.partnerId}-2`);
    published.set(pathOfKeys(partner), [...partner.jwks.keys, next.jwk]);
    expect(await get(mintToken({ ...partner, ...next }, intent))).toMatchObject({ status: 200 });
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
    expect(fetched).toHaveLength(2);
  });

  it('is never fetched from a URL in the token itself', async () => {
    const evil = `${keyServerUrl}/evil`;
    published.set('/evil', [aSessionKey('evil').jwk]);
    await expectRejected(mintToken(partner, intent, { iss: evil }), 'issuer_unknown');
    const header = { jku: evil, x5u: evil };
    expect(await get(mintToken(partner, intent, {}, header))).toMatchObject({ status: 200 });
    await expectRejected(mintToken(partner, intent, {}, { ...header, kid: 'evil' }), 'kid_unknown');
    expect(fetched).not.toContain('/evil');
  });

  it('of another environment is not used', async () => {
    const keySets = createKeySetFetcher(outbound);
    const production = await startApp(bed, { environment: 'prod', keySets });
    const { status } = await production.get(intent, mintToken(partner, intent));
    await production.close();
    expect([status, production.rejections]).toEqual([401, ['issuer_unknown']]);
  });
});

describe('a key-set URL', () => {
  /** Expects a rejection during the attack, and success once the URL serves its key set again. */
  async function expectRejectedThenAccepted(attack: RequestListener): Promise<void> {
    behaviour = attack;
    await expectRejected(mintToken(partner, intent), 'key_set_not_fetched');
    expect(fetched.every((path) => path === pathOfKeys(partner))).toBe(true);
    behaviour = undefined;
    expect(await get(mintToken(partner, intent))).toMatchObject({ status: 200 });
  }

  it('that redirects is not followed', async () => {
    await expectRejectedThenAccepted((_, response) => {
      response.writeHead(302, { Location: other.jwks_url }).end();
    });
  });

  it('that does not answer is aborted, and delays no other request', async () => {
    const hanging: ServerResponse[] = [];
    behaviour = (_, response) => hanging.push(response);
    const waiting = get(mintToken(partner, intent));
    expect(await app.sendSigned(partner, { path: `/v1/payment_intents/x` })).toMatchObject({
      status: 404,
    });
    expect(await waiting).toMatchObject({ status: 401 });
    hanging.forEach((response) => response.destroy());
  });

  it('that answers 5 MB is not read completely', async () => {
    await expectRejectedThenAccepted((_, response) => {
      response.on('error', () => undefined).end(' '.repeat(5_000_000));
    });
  });

  it('that answers an empty set verifies no token', async () => {
    await expectRejectedThenAccepted((_, response) => response.end('{"keys":[]}'));
  });

  it.each(['', 'null', '[]', '{}', '{"keys":{}}', 'not json', '{"keys":[null,1,"x",[]]}'])(
    'that answers %s verifies no token',
    async (text) => {
      await expectRejectedThenAccepted((_, response) => response.end(text));
    },
  );
});

describe('a flood of a thousand unknown kids', () => {
  it('causes at most 11 fetches and affects neither good keys nor other partners', async () => {
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
    expect(app.rejections.at(-1)).toBe('issuer_of_another_partner');
  });
});

describe('a limit on the age of attestations', () => {
  it.each([
    ['kyc', 3_600, 3_600, 200],
    ['kyc', 3_600, 3_601, 401],
    ['sanctions', 60, 60, 200],
    ['sanctions', 60, 61, 401],
  ])('for %s of %d s, with an age of %d s, answers %d', async (kind, maxAge, age, status) => {
    await bed.database.query({
      text: `update partners set ${kind}_max_age_seconds = $2 where partner_id = $1`,
      values: [partner.partnerId, maxAge],
    });
    const at = secondsAfter(NOON, -age).toISOString();
    const token = mintToken(partner, intent, {
      'service:kyc_attestation': { verified: true, method: 'document', verified_at: at },
      'service:sanctions_attestation': { clean: true, screened_at: at },
    });
    expect(await get(token)).toMatchObject({ status });
  });
});
