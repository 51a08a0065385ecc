// Session tokens with one fault each, by the step of protocol 4.7 that rejects them.
import { createHmac, createPublicKey } from 'node:crypto';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import { NOON } from '../../support/clock';
import {
  aSessionKey,
  claimsFor,
  mintToken,
  signToken,
  type Claims,
  type TestPartner,
} from '../../support/payments/partner';

interface TokenWorld {
  readonly partner: TestPartner;
  readonly other: TestPartner;
  readonly intent: PaymentIntent;
}

interface BadToken {
  readonly step: string;
  readonly name: string;
  /** The reason in the log, which the caller never sees. */
  readonly reason: string;
  readonly mint: (world: TokenWorld) => string;
}

export const NOW = NOON.getTime() / 1_000;

export const kyc = (change: Claims): Claims => ({
  'service:kyc_attestation': {
    verified: true,
    method: 'document',
    verified_at: '2026-01-01T00:00:00Z',
    ...change,
  },
});

const sanctions = (change: Claims): Claims => ({
  'service:sanctions_attestation': { clean: true, screened_at: '2026-03-02T11:59:00Z', ...change },
});

function claims(step: string, reason: string, wrong: readonly Claims[]): BadToken[] {
  return wrong.map((changed) => ({
    step,
    name: JSON.stringify(changed, (_key, value: unknown) => value ?? null).slice(0, 80),
    reason,
    mint: ({ partner, intent }) => mintToken(partner, intent, changed),
  }));
}

function headers(wrong: readonly Claims[]): BadToken[] {
  return wrong.map((changed) => ({
    step: '1',
    name: `the header ${JSON.stringify(changed, (_key, value: unknown) => value ?? null)}`,
    reason: 'token_malformed',
    mint: ({ partner, intent }) => mintToken(partner, intent, {}, changed),
  }));
}

function texts(wrong: readonly string[]): BadToken[] {
  return wrong.map((text) => ({
    step: '1',
    name: `the text ${text.slice(0, 12)}`,
    reason: 'token_malformed',
    mint: () => text,
  }));
}

/** Signed by the attacker's own key, under the partner's issuer. */
function forged(reason: 'kid_unknown' | 'signature_wrong', header: Claims = {}): BadToken {
  return {
    step: reason === 'kid_unknown' ? '2' : '3',
    name: `the attacker’s own key, with ${JSON.stringify(header).slice(0, 40)}`,
    reason,
    mint: ({ partner, intent }) => {
      const { privateKey, jwk } = aSessionKey(partner.kid);
      const own = 'jwk' in header ? { jwk } : header;
      return mintToken({ ...partner, privateKey }, intent, {}, own);
    },
  };
}

/** An HMAC whose key is the public key. */
function confused(type: 'spki' | 'pkcs1'): BadToken {
  return {
    step: '1',
    name: `HS256, keyed with the public key as ${type}`,
    reason: 'token_malformed',
    mint: ({ partner, intent }) => {
      const pem = createPublicKey(partner.privateKey).export({ type, format: 'pem' });
      const header = { alg: 'HS256', typ: 'JWT', kid: partner.kid };
      return signToken(header, claimsFor(partner, intent), (text) =>
        createHmac('sha256', pem).update(text).digest(),
      );
    },
  };
}

/** An issuer that looks like the registered one. */
function issuerLike(change: (issuer: string) => string): BadToken {
  return {
    step: '2',
    name: `the issuer ${change('https://partner.example')}`,
    reason: 'issuer_unknown',
    mint: ({ partner, intent }) => mintToken(partner, intent, { iss: change(partner.issuer) }),
  };
}

const REQUIRED = [
  ...['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'service:intent_id', 'service:amount_usd_cents'],
  ...['service:corridor', 'service:kyc_attestation', 'service:sanctions_attestation'],
];

export const BAD_TOKENS: readonly BadToken[] = [
  ...texts(['x', 'a.b', 'a.b.c.d', 'a..c', '..', 'a.b.', 'a=.b.c', `${'a'.repeat(9_000)}.b.c`]),
  ...headers(
    ['none', 'RS384', 'RS512', 'PS256', 'ES256', 'EdDSA', 'rs256'].map((alg) => ({ alg })),
  ),
  ...headers([{ kid: undefined }, { kid: '' }, { kid: 1 }, { crit: ['exp'] }, { b64: false }]),
  {
    step: '1',
    name: '"none", with an empty signature',
    reason: 'token_malformed',
    mint: ({ partner, intent }) =>
      signToken({ alg: 'none', kid: partner.kid }, claimsFor(partner, intent), () =>
        Buffer.alloc(0),
      ),
  },
  ...(['spki', 'pkcs1'] as const).map(confused),
  ...claims(
    '1, a claim that is missing',
    'token_malformed',
    REQUIRED.map((name) => ({ [name]: undefined })),
  ),
  ...claims('1, a claim of another type', 'token_malformed', [
    { aud: ['service-checkout'] },
    { iat: NOW + 0.5 },
    { exp: String(NOW + 600) },
    { exp: 1e300 },
    { nbf: NOW - 0.5 },
    { nbf: null },
    { sub: '' },
    { jti: '' },
    { jti: 7 },
    { 'service:amount_usd_cents': '1250' },
    { 'service:amount_usd_cents': 1250.5 },
    { extra: 'x'.repeat(9_000) },
    { 'service:kyc_attestation': true },
    kyc({ verified: 'true' }),
    kyc({ verified: 1 }),
    kyc({ method: '' }),
    kyc({ method: undefined }),
    sanctions({ clean: 'true' }),
    // Postgres cannot store these texts.
    { iss: 'a\0b' },
    { iss: '\ud800' },
  ]),
  ...[
    (iss: string) => iss.replace('//', '//evil.'),
    (iss: string) => iss.replace('.example', '.example.evil.example'),
    (iss: string) => iss.replace('//', '//evil.example@'),
    (iss: string) => iss.replace('partner', 'PARTNER'),
    (iss: string) => iss.replace('partner', '%70artner'),
    (iss: string) => iss.replace('partner', 'p\u0430rtner'),
    ...['?a=b', '#', '//', '/x/..', ' ', '\n'].map((end) => (iss: string) => iss + end),
    () => '__proto__',
  ].map(issuerLike),
  ...['nobody', '__proto__', 'constructor', '../../etc/passwd', "' or 1=1 --", '\u0000'].map(
    (kid): BadToken => ({
      step: '2',
      name: `the kid ${JSON.stringify(kid)}`,
      reason: 'kid_unknown',
      mint: ({ partner, intent }) => mintToken(partner, intent, {}, { kid }),
    }),
  ),
  {
    step: '2',
    name: 'a kid of another partner',
    reason: 'kid_unknown',
    mint: ({ partner, other, intent }) => mintToken({ ...other, issuer: partner.issuer }, intent),
  },
  {
    step: '3',
    name: 'claims that were changed after signing',
    reason: 'signature_wrong',
    mint: ({ partner, intent }) => {
      const [header = '', , signature = ''] = mintToken(partner, intent).split('.');
      const other = Buffer.from(JSON.stringify(claimsFor(partner, intent)));
      return [header, other.toString('base64url'), signature].join('.');
    },
  },
  forged('signature_wrong'),
  forged('signature_wrong', { jwk: 'its public half' }),
  forged('kid_unknown', { kid: 'own', jku: 'https://evil.example/jwks.json' }),
  forged('kid_unknown', { kid: 'own', x5u: 'https://evil.example/cert.pem' }),
  ...claims('4', 'aud_wrong', [
    { aud: 'service-checkout-test' },
    { aud: '' },
    { aud: 'SERVICE-CHECKOUT' },
  ]),
  {
    step: '5',
    name: 'another partner’s own good token',
    reason: 'issuer_of_another_partner',
    mint: ({ other, intent }) => mintToken(other, intent),
  },
  ...claims('6', 'not_valid_now', [
    { exp: NOW, iat: NOW - 600 },
    { exp: NOW - 1, iat: NOW - 600 },
    { nbf: NOW + 6 },
    { iat: NOW - 901, exp: NOW + 1 },
    { iat: NOW + 301, exp: NOW + 400 },
  ]),
  ...claims('7', 'exp_not_after_iat', [
    { iat: NOW + 60, exp: NOW + 60 },
    { iat: NOW + 60, exp: NOW + 30 },
  ]),
  ...claims('7', 'lifetime_over_600_s', [
    { iat: NOW, exp: NOW + 601 },
    { iat: NOW - 900, exp: NOW + 1 },
  ]),
  ...claims('10', 'amount_differs', [
    { 'service:amount_usd_cents': 1_249 },
    { 'service:amount_usd_cents': 1_251 },
  ]),
  ...claims('11', 'corridor_differs', [
    { 'service:corridor': 'vn_qrpay' },
    { 'service:corridor': 'TH_QRPAY' },
  ]),
  ...claims('after 11', 'attestation_not_accepted', [
    kyc({ verified: false }),
    kyc({ verified_at: '2026-03-02T12:01:01Z' }),
    kyc({ verified_at: 'yesterday' }),
    sanctions({ clean: false }),
    sanctions({ screened_at: '2026-03-02T12:01:01Z' }),
    sanctions({ screened_at: '' }),
  ]),
];
