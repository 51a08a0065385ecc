// HMAC-SHA256 over the canonical request, and its comparison in constant time (protocol 3.3 and 3.4,
// step 5).
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * "Base64 of HMAC-SHA256 over the canonical request string, keyed with the signing secret."
 * @param secret the string whose UTF-8 bytes key the HMAC (architecture, section 7)
 * @returns canonical base64: 44 characters, padding included
 */
export function signCanonicalRequest(canonical: string, secret: string): string {
  return createHmac('sha256', secret).update(canonical, 'utf8').digest('base64');
}

/**
 * Whether both sides are the same bytes, in a time that does not depend on where they differ; that their lengths do may show. Texts are
 * compared as such: base64 in another spelling of the same bytes is not equal (decision 24).
 */
export function isEqualInConstantTime(
  left: string | Uint8Array,
  right: string | Uint8Array,
): boolean {
  const [known, given] = [bytesOf(left), bytesOf(right)];
  const isAsLong = known.length === given.length;
  return timingSafeEqual(known, isAsLong ? given : known) && isAsLong;
}

function bytesOf(side: string | Uint8Array): Uint8Array {
  return typeof side === 'string' ? Buffer.from(side) : side;
}
