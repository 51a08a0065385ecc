// Requests that are refused, one maker per cause: everything else about each is right, and no two are equal. They are
// whole HTTP requests as bytes, since preparing them must not be part of what is measured.
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

/** Makes one more request that is refused for this cause and for no other. */
export type Make = () => Uint8Array;
/** By cause; that of the reference is there. */
export interface Causes {
  readonly signature_wrong: Make;
  readonly [cause: string]: Make;
}

/** A partner who may send requests, and two who may not. */
export interface Cast {
  readonly partner: TestPartner;
  /** Its registered network is not the loopback. */
  readonly elsewhere: TestPartner;
  /** Its only key is revoked. */
  readonly withdrawn: TestPartner;
  /** The partner's, `created` for as long as any bench takes. */
  readonly intent: PaymentIntent;
}

const BODY = '{"partner_user_id":"user-4711","amount_usd_cents":1250,"corridor":"th_qrpay"}';
/** The one answer that all of them get. */
export const REFUSAL: Answer = {
  status: '401',
  holding: '{"error":"authentication_failed","message":"Authentication failed."}',
};
const STALE_MS = 6 * 60_000;
const LIFETIME_SECONDS = 600;
const SIGNATURE_BYTES = 256;

/** A create, refused by its signature's five steps (protocol 3.4). */
export function signedRefusals({ partner, elsewhere, withdrawn }: Cast): Causes {
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
    key_unknown_always_the_same: () => create(keyId(likePartner(partner.key_id, 'nobody-here'))),
    key_revoked: () => create(signed(withdrawn)),
    address_not_registered: () => create(signed(elsewhere)),
    timestamp_stale: () => create(signed(partner, { timestamp: agoText(STALE_MS) })),
    nonce_malformed: () =>
      create(signed(partner, { nonce: randomBytes(32).toString('hex').toUpperCase() })),
  };
}

/** A read by session token, refused by its eleven steps (protocol 4.7). */
export function tokenRefusals({ partner, intent }: Cast): Causes {
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

/** Below every modulus of that length, so that it costs a whole verification and not an early rejection. */
function randomSignature(): Buffer {
  const bytes = randomBytes(SIGNATURE_BYTES);
  bytes[0] = 0;
  return bytes;
}

function agoText(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

/** A key id of the same form and length, of a partner that is not there. */
function likePartner(keyId: string, slug: string): string {
  return keyId.replace(/^[^_]+/, slug);
}

/** As long as the other partners' slugs. */
function randomSlug(): string {
  return randomBytes(6).toString('hex').slice(0, 'siam-travel'.length);
}

/** Another text, as long. */
function likeText(text: string): string {
  return randomBytes(text.length).toString('hex').slice(0, text.length);
}
