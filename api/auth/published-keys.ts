// What is taken of a published key set (protocol 4.5; decision 110): sound RSA keys for RS256, and
// nothing else.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { hasCharacters } from '../../src/domain/characters';
import { KEY_SET_KEYS_MAX, KID_MAX_CHARACTERS } from '../../src/domain/limits';
import { faultOfRsa } from '../../src/signing/rsa-fault';

/** By `kid`. */
export type KeySet = ReadonlyMap<string, KeyObject>;

/** "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …, and the RSA modulus `n` and exponent `e`." */
const jwkSchema = z.object({
  kty: z.literal('RSA'),
  use: z.literal('sig'),
  alg: z.literal('RS256'),
  kid: z.string().refine((kid) => hasCharacters(kid, KID_MAX_CHARACTERS)),
  n: z.base64url(),
  e: z.base64url(),
});

const setSchema = z.object({ keys: z.array(z.unknown()) });

/**
 * Keys that are not of the specified form are passed over, and so is what comes behind the first hundred: one key too many takes
 * none of the others away. A `kid` that two keys claim is nobody's.
 */
export function readKeySet(published: unknown): KeySet {
  const first = setSchema.parse(published).keys.slice(0, KEY_SET_KEYS_MAX);
  const jwks = first.flatMap((key) => {
    const parsed = jwkSchema.safeParse(key);
    return parsed.success && faultOfRsa(parsed.data) === undefined ? [parsed.data] : [];
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
