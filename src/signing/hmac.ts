// HMAC-SHA256 over the canonical request or a provider's callback, and a constant-time comparison
// (protocol 3.3 and 3.4).
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * "Base64 of HMAC-SHA256 over the canonical request string, keyed with the signing secret."
 * @param secret the string whose UTF-8 bytes are the HMAC key (protocol 3.3)
 * @returns canonical base64: 44 characters, padding included
 */
export function signCanonicalRequest(canonical: string, secret: string): string {
  return createHmac('sha256', secret).update(canonical, 'utf8').digest('base64');
}

/** In lower-case hex. @param secret the string whose UTF-8 bytes are the key */
export function hmacSha256Hex(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Whether a header, in any case, is that HMAC. Several headers of one name are none. */
export function isHmacSha256Hex(given: unknown, body: Uint8Array, secret: string): boolean {
  const expected = hmacSha256Hex(body, secret);
  return typeof given === 'string' && isEqualInConstantTime(expected, given.toLowerCase());
}

/**
 * Whether both sides have equal bytes. The time does not depend on where they differ, but may show
 * that their lengths differ. Texts are compared as text: another base64 form of the same bytes is
 * not equal (decision 24).
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
