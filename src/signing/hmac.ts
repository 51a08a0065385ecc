// HMAC-SHA256 over the canonical request, and the comparison that tells nothing by its time
// (spec, "Request signing": `X-Service-Signature`, and step 5 of the verification order).
import { createHmac, hash, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * "Base64 of HMAC-SHA256 over the canonical request string, keyed with the signing secret."
 * @param secret the string whose UTF-8 bytes key the HMAC (architecture, section 7), or these bytes as a key
 * @returns canonical base64: 44 characters, padding included
 */
export function signCanonicalRequest(canonical: string, secret: string | KeyObject): string {
  return createHmac('sha256', secret).update(canonical, 'utf8').digest('base64');
}

/**
 * Whether both sides are the same bytes, in a time that does not depend on where they differ. Digests are compared, so
 * that sides of different lengths take the same path. Texts are compared as such: base64 in another spelling of
 * the same bytes is not equal (decision 24).
 */
export function isEqualInConstantTime(
  left: string | Uint8Array,
  right: string | Uint8Array,
): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(side: string | Uint8Array): Uint8Array {
  return hash('sha256', side, 'buffer');
}
