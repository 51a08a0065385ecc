// Reads a partner's published key set: only sound RSA keys for RS256 are used
// (protocol 4.5; decision 110).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { hasCharacters } from '../domain/characters';
import { KEY_SET_KEYS_MAX, KID_MAX_CHARACTERS } from '../domain/limits';
import { faultOfRsa } from './rsa-fault';

/** By `kid`. */
export type PublishedKeys = ReadonlyMap<string, KeyObject>;

interface UsableKey {
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

/**
 * Ignores keys that are not of the specified form, keys after the first hundred, and every key
 * whose `kid` another key has too. One bad key must not disable the others.
 * @throws Error when no key is left
 */
export function readKeySet(published: unknown): PublishedKeys {
  const keys = membersOf(published)['keys'];
  if (!Array.isArray(keys)) throw new Error('the key set is not an object with a list "keys"');
  const usable = keys.slice(0, KEY_SET_KEYS_MAX).flatMap((key: unknown) => toUsableKey(key) ?? []);
  const isAmbiguous = (kid: string) => usable.filter((key) => key.kid === kid).length > 1;
  const found = new Map(
    usable
      .filter(({ kid }) => !isAmbiguous(kid))
      .map(({ kid, n, e }) => [kid, createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })]),
  );
  // "At least one active key": an empty set is a mistake and must not replace the cached one.
  if (found.size === 0)
    throw new Error('the key set has no key that is RSA, RS256, for signatures');
  return found;
}

/**
 * "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …, and the RSA modulus `n` and exponent
 * `e`."
 */
function toUsableKey(value: unknown): UsableKey | undefined {
  const { kid, n, e, ...members } = membersOf(value);
  if (!isForSignatures(members)) return undefined;
  if (typeof kid !== 'string' || !hasCharacters(kid, KID_MAX_CHARACTERS)) return undefined;
  if (!isBase64url(n) || !isBase64url(e) || faultOfRsa({ n, e }) !== undefined) return undefined;
  return { kid, n, e };
}

function isForSignatures({ kty, use, alg }: Readonly<Record<string, unknown>>): boolean {
  return kty === 'RSA' && use === 'sig' && alg === 'RS256';
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]*$/.test(value) && value.length % 4 !== 1;
}
