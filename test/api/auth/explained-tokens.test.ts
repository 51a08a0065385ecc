// `payctl token explain` and the SDK's explainToken name the reason for which the API rejects a
// token, whatever is wrong with it (protocol 4.7).
import fc from 'fast-check';
import { usdCents } from '../../../src/domain/money';
import { explainIn } from '../../../src/ops/requests/explain-token';
import { explainToken } from '../../../src/sdk';
import { withApi } from '../../support/brackets';
import { createMemoryKeySets } from '../../support/app';
import { anIntent } from '../../support/builders';
import { NOON } from '../../support/clock';
import { mintToken, type Claims } from '../../support/payments/partner';
import { BAD_TOKENS, kyc, NOW } from './bad-tokens';

const { bed, app, partner, other, intent } = withApi();

async function explain(token: string, purpose: 'read' | 'confirm' | 'status' = 'read') {
  const { partners, tokens } = bed.storesIn('sandbox');
  const keySets = createMemoryKeySets([partner, other]);
  const { issuers } = await partners.read();
  return explainIn({ issuers, tokens, keySets, now: NOON }, token, { purpose });
}

const explainedBySdk = (token: string, of = intent) =>
  explainToken({
    ...{ token, intent: of, purpose: 'read', now: () => NOON },
    jwksUrl: partner.jwks_url,
    keySet: partner.jwks,
  });

/** The reason in the log of the API; null if it does not reject the token. */
async function reasonOf(send: () => Promise<unknown>): Promise<string | null> {
  const before = app.rejections.length;
  await send();
  return app.rejections[before] ?? null;
}

describe('the check that fails is that of the API', () => {
  it.each(BAD_TOKENS.map((bad) => [bad.step, bad.name, bad] as const))(
    'in step %s: %s',
    async (_step, _name, { mint, reason }) => {
      const token = mint({ partner, other, intent });
      const { failed, checks } = await explain(token);
      expect(await reasonOf(() => app.get(intent, token))).toBe(reason);
      expect(failed?.reason).toBe(reason);
      const after = checks.slice(checks.findIndex((check) => check.outcome === 'failed') + 1);
      expect(new Set(after.map(({ outcome }) => outcome))).toEqual(
        new Set(after.length === 0 ? [] : ['not_reached']),
      );
    },
  );

  it.each(BAD_TOKENS.map((bad) => [bad.step, bad.name, bad] as const))(
    'in the SDK too, in step %s: %s',
    async (_step, _name, { mint, reason }) => {
      const { failed } = await explainedBySdk(mint({ partner, other, intent }));
      // The SDK knows one partner only, so another one's issuer is unknown.
      const expected = reason === 'issuer_of_another_partner' ? 'issuer_unknown' : reason;
      expect(failed?.reason).toBe(expected);
    },
  );

  const FAULTS: readonly Claims[] = [
    ...[{}, {}, { iss: 'https://evil.example' }, { aud: 'x' }, { aud: undefined }],
    ...[{ exp: NOW - 1 }, { iat: NOW - 901 }, { iat: NOW + 301, exp: NOW + 400 }, { nbf: NOW + 6 }],
    ...[{ iat: NOW + 60, exp: NOW + 60 }, { exp: NOW + 601 }, { iat: NOW + 300, exp: NOW + 900 }],
    ...[{ 'service:amount_usd_cents': 1 }, { 'service:corridor': 'vn_qrpay' }, { jti: 'used' }],
    ...[{ 'service:intent_id': 'pi_1' }, { 'service:intent_id': `pi_${'1'.repeat(26)}` }],
    ...[kyc({ verified: false }), kyc({ method: undefined }), kyc({ verified_at: 'soon' })],
  ];
  const HEADERS: readonly Claims[] = [{}, {}, {}, { kid: 'nobody' }, { alg: 'none' }, { crit: [] }];
  const SENDERS = ['read', 'confirm', 'status'] as const;

  it('with any number of faults, for every purpose and status', async () => {
    await app.confirm(intent, mintToken(partner, intent, { jti: 'used' }));
    const statuses = ['created', 'authorized', 'captured', 'expired'] as const;
    const intents = await Promise.all(statuses.map((status) => anIntent(bed, partner, { status })));
    const seen = new Set<string | null>();
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...FAULTS], { maxLength: 3 }),
        fc.constantFrom(...HEADERS),
        fc.constantFrom(...SENDERS),
        fc.constantFrom(...intents, ...intents, intent),
        async (faults, header, purpose, about) => {
          const token = mintToken(partner, about, Object.assign({}, ...faults) as Claims, header);
          const { failed } = await explain(token, purpose);
          const path = `/flow/${about.intentId}/status`;
          const headers = { Authorization: `Bearer ${token}` };
          const send = {
            read: () => app.get(about, token),
            confirm: () => app.confirm(about, token),
            status: () => app.send({ path, headers }),
          }[purpose];
          const reason = await reasonOf(send);
          seen.add(reason);
          // The path is compared after all other checks, and explained only if it is given.
          expect(failed?.reason ?? null).toBe(reason === 'bound_to_another_intent' ? null : reason);
        },
      ),
      { numRuns: 400 },
    );
    expect(seen.size).toBeGreaterThan(10);
  });
});

describe('the explanation', () => {
  it('names claim, expected and found of the check that fails', async () => {
    const open = await anIntent(bed, partner);
    const token = mintToken(partner, open, { 'service:amount_usd_cents': 1_249 });
    for (const { failed } of [await explain(token), await explainedBySdk(token, open)]) {
      expect(failed).toEqual({
        step: 10,
        reason: 'amount_differs',
        outcome: 'failed',
        claim: 'service:amount_usd_cents',
        expected: '1250',
        found: '1249',
      });
    }
  });

  it.each<[string, string, Claims, Claims]>([
    ['exp', 'missing', { exp: undefined }, {}],
    ['exp', '"soon"', { exp: 'soon' }, {}],
    ['service:kyc_attestation.method', '""', kyc({ method: '' }), {}],
    ['service:sanctions_attestation', 'true', { 'service:sanctions_attestation': true }, {}],
    ['header.alg', '"HS256"', {}, { alg: 'HS256' }],
    ['header.kid', 'missing', {}, { kid: undefined }],
  ])('names the malformed member %s, found %s', async (claim, found, claims, header) => {
    const { failed } = await explain(mintToken(partner, intent, claims, header));
    expect(failed).toMatchObject({ step: 1, reason: 'token_malformed', claim, found });
  });

  it('has the eleven steps in order, and says which it cannot know', async () => {
    const { checks, failed } = await explainedBySdk(mintToken(partner, intent));
    expect(failed).toBeNull();
    const steps = checks.map(({ step }) => step).filter((step) => step !== null);
    expect([...new Set(steps)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    const unknown = checks.filter(({ outcome }) => outcome === 'unknown');
    expect(unknown.map(({ reason }) => reason)).toEqual(['jti_used']);
  });

  it('of a token for another intent than the given one does not compare them', async () => {
    const another = await anIntent(bed, partner, { amountUsdCents: usdCents(99) });
    const { failed, checks } = await explainedBySdk(mintToken(partner, another));
    expect(failed?.reason).toBe('bound_to_another_intent');
    const unknown = checks.filter(({ outcome }) => outcome === 'unknown');
    expect(unknown.map(({ step }) => step)).toEqual([5, 8, 9, 10, 11]);
  });

  it('says that a key set is no key set', async () => {
    const { failed } = await explainToken({
      ...{ token: mintToken(partner, intent), jwksUrl: partner.jwks_url, now: () => NOON },
      keySet: '<html>',
    });
    expect(failed?.reason).toBe('key_set_not_fetched');
  });
});

it('the log names the malformed member of a token, and its 401 does not', async () => {
  const reply = await app.get(intent, mintToken(partner, intent, kyc({ method: '' })));
  expect(reply.text).toBe('{"error":"authentication_failed","message":"Authentication failed."}');
  const id = String(reply.headers['x-request-id']);
  expect(JSON.parse(app.lines.find((line) => line.includes(id)) ?? '')).toMatchObject({
    rejection: 'token_malformed',
    member: 'service:kyc_attestation.method',
  });
});
