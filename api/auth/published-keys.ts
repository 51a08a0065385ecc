// What is taken of a published key set (spec, "Partner key-set endpoint"; decision 110): sound RSA keys for RS256, and
// nothing else.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import {
  RSA_EXPONENT_MAX_BYTES,
  RSA_EXPONENT_MIN,
  RSA_MODULUS_MAX_BITS,
  RSA_MODULUS_MIN_BITS,
} from '../../src/domain/limits';

/** By `kid`. */
export type KeySet = ReadonlyMap<string, KeyObject>;

/** "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …, and the RSA modulus `n` and exponent `e`." */
const jwkSchema = z.object({
  kty: z.literal('RSA'),
  use: z.literal('sig'),
  alg: z.literal('RS256'),
  kid: z.string().min(1).max(256),
  n: z.base64url(),
  e: z.base64url(),
});

const setSchema = z.object({ keys: z.array(z.unknown()).max(100) });

/** Keys that are not of the specified form are passed over; a `kid` that two keys claim is nobody's. */
export function readKeySet(published: unknown): KeySet {
  const jwks = setSchema.parse(published).keys.flatMap((key) => {
    const parsed = jwkSchema.safeParse(key);
    return parsed.success && isSoundRsa(parsed.data) ? [parsed.data] : [];
  });
  const isAmbiguous = (kid: string) => jwks.filter((jwk) => jwk.kid === kid).length > 1;
  const keys = new Map(
    jwks
      .filter(({ kid }) => !isAmbiguous(kid))
      .map(({ kid, kty, n, e }) => [kid, createPublicKey({ key: { kty, n, e }, format: 'jwk' })]),
  );
  // "At least one active key": a set without any is a mistake, and takes nothing away from the one at hand.
  if (keys.size === 0) throw new Error('the key set has no key that is RSA, RS256, for signatures');
  return keys;
}

/**
 * With an exponent of 1 anybody signs; an even one, or an even modulus, is no RSA; and a giant of either costs us
 * milliseconds for each token.
 */
function isSoundRsa({ n, e }: { readonly n: string; readonly e: string }): boolean {
  const [modulus, exponent] = [unsigned(n), unsigned(e)];
  const bits = bitsOf(modulus);
  const isOdd = [modulus, exponent].every((number) => ((number.at(-1) ?? 0) & 1) === 1);
  return (
    isOdd &&
    bits >= RSA_MODULUS_MIN_BITS &&
    bits <= RSA_MODULUS_MAX_BITS &&
    exponent.length <= RSA_EXPONENT_MAX_BYTES &&
    exponent.reduce((value, byte) => value * 256 + byte, 0) >= RSA_EXPONENT_MIN
  );
}

/** Without leading zeros. */
function unsigned(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? Buffer.alloc(0) : bytes.subarray(first);
}

function bitsOf(number: Buffer): number {
  return number.length === 0 ? 0 : number.length * 8 - Math.clz32(number[0] ?? 0) + 24;
}
