// Reads a partner's published key set: only sound RSA keys for RS256 are used
// (protocol 4.5; decision 110).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { hasCharacters } from '../../src/domain/characters';
import { KEY_SET_KEYS_MAX, KID_MAX_CHARACTERS } from '../../src/domain/limits';
import { faultOfRsa } from '../../src/signing/rsa-fault';

/** By `kid`. */
export type KeySet = ReadonlyMap<string, KeyObject>;

/**
 * "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …, and the RSA modulus `n` and exponent
 * `e`."
 */
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
 * Ignores keys that are not of the specified form, keys after the first hundred, and every key
 * whose `kid` another key has too. One bad key must not disable the others.
 * @throws Error when no key is left
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
  // "At least one active key": an empty set is a mistake and must not replace the cached one.
  if (keys.size === 0) throw new Error('the key set has no key that is RSA, RS256, for signatures');
  return keys;
}
