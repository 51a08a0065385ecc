// Makers of rejected requests, one per cause: everything else about each request is valid, and no
// two are equal. They make whole HTTP requests as bytes, so that no measurement includes preparing
// them.
import { createSign, randomBytes } from 'node:crypto';
import type { PaymentIntent } from '../../../src/domain/intents/payment-intent';
import {
  claimsFor,
  sign,
  signToken,
  type Claims,
  type TestPartner,
} from '../../support/payments/partner';
import type { Answer } from '../figures/comparison';
import { INTENTS_PATH as PATH, toBytes } from './requests';

/** Makes one further request that is rejected for this cause and for no other. */
export type Make = () => Uint8Array;
/** Makers by cause. The cause of the reference is always there. */
interface Causes {
  readonly signature_wrong: Make;
  readonly [cause: string]: Make;
}

/** A partner that may send requests, and two that may not. */
export interface Actors {
  readonly partner: TestPartner;
  /** Its registered network is not the loopback. */
  readonly elsewhere: TestPartner;
  /** Its only key is revoked. */
  readonly withdrawn: TestPartner;
  /** An intent of the partner that stays `created` longer than any bench takes. */
  readonly intent: PaymentIntent;
}

const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
/** The answer to every rejected request. */
export const REJECTION: Answer = {
  status: '401',
  contains: '{"error":"authentication_failed","message":"Authentication failed."}',
};
const STALE_MS = 6 * 60_000;
const LIFETIME_SECONDS = 600;
const SIGNATURE_BYTES = 256;

/** Creates that one of the five signature steps rejects (protocol 3.4). */
export function signedRejections({ partner, elsewhere, withdrawn }: Actors): Causes {
  const signed = (by = partner, parts: { timestamp?: string; nonce?: string } = {}) =>
    sign(by, { method: 'POST', path: PATH, body: BODY, timestamp: agoText(0), ...parts });
  const create = (headers: Record<string, string>) =>
    toBytes({
      method: 'POST',
      path: PATH,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: BODY,
    });
  const keyId = (text: string) => ({ ...signed(), 'X-Service-Key-Id': text });
  return {
    signature_wrong: () =>
      create({ ...signed(), 'X-Service-Signature': randomBytes(32).toString('base64') }),
    key_unknown: () => create(keyId(likePartner(partner.key_id, randomSlug()))),
    key_unknown_always_the_same: () => create(keyId(likePartner(partner.key_id, 'no-one-here'))),
    key_revoked: () => create(signed(withdrawn)),
    address_not_registered: () => create(signed(elsewhere)),
    timestamp_stale: () => create(signed(partner, { timestamp: agoText(STALE_MS) })),
    nonce_malformed: () =>
      create(signed(partner, { nonce: randomBytes(32).toString('hex').toUpperCase() })),
  };
}

/** Reads by session token that one of the eleven steps rejects (protocol 4.7). */
export function tokenRejections({ partner, intent }: Actors): Causes {
  const path = `${PATH}/${intent.intentId}`;
  const read = (token: string) =>
    toBytes({ method: 'GET', path, headers: { Authorization: `Bearer ${token}` } });
  const claims = (changed: Claims = {}) => ({
    ...claimsFor(partner, intent, new Date()),
    'service:kyc_attestation': { verified: true, method: 'document', verified_at: agoText(60_000) },
    'service:sanctions_attestation': { clean: true, screened_at: agoText(60_000) },
    ...changed,
  });
  const header = { alg: 'RS256', typ: 'JWT', kid: partner.kid };
  const forged = (changed: Claims = {}, kid = partner.kid) =>
    signToken({ ...header, kid }, claims(changed), randomSignature);
  const signed = (changed: Claims) =>
    signToken(header, claims(changed), (text) =>
      createSign('RSA-SHA256').update(text).sign(partner.privateKey),
    );
  return {
    signature_wrong: () => read(forged()),
    token_malformed: () => read(forged().replace('.', '_')),
    issuer_unknown: () => read(forged({ iss: likeText(partner.issuer) })),
    kid_unknown: () => read(forged({}, likeText(partner.kid))),
    audience_wrong: () => read(signed({ aud: 'another-audience' })),
    expired: () => read(signed(expired())),
    amount_differs: () => read(signed({ 'service:amount_usd_cents': intent.amountUsdCents + 1 })),
  };
}

function expired(): Claims {
  const exp = Math.floor(Date.now() / 1_000) - 60;
  return { exp, iat: exp - LIFETIME_SECONDS };
}

/** Its number is below every modulus of that length, so that it costs a whole verification. */
function randomSignature(): Buffer {
  const bytes = randomBytes(SIGNATURE_BYTES);
  bytes[0] = 0;
  return bytes;
}

function agoText(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

/** A key id of a partner that does not exist. Its form and length stay the same. */
function likePartner(keyId: string, slug: string): string {
  return keyId.replace(/^[^_]+/, slug);
}

/** A random slug, as long as the slugs of the other partners. */
function randomSlug(): string {
  return randomBytes(6).toString('hex').slice(0, 'siam-travel'.length);
}

/** A random text of the same length. */
function likeText(text: string): string {
  return randomBytes(text.length).toString('hex').slice(0, text.length);
}
