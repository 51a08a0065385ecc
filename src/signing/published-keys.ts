// Reads a partner's published key set: only sound RSA keys for RS256 are used
// (protocol 4.5; decision 110).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { hasCharacters } from '../domain/characters';
import { KEY_SET_KEYS_MAX, KID_MAX_CHARACTERS } from '../domain/limits';
import { faultOfRsa } from './rsa-fault';

/** By `kid`. */
export type PublishedKeys = ReadonlyMap<string, KeyObject>;

/** A key that is never used. */
export interface SkippedKey {
  /** Its place in the set, and its `kid` if it has one. */
  readonly name: string;
  readonly why: string;
}

export const REVEALED = 'its private members are published: anybody can sign';

/**
 * Skips keys that are not of the specified form, keys after the first hundred, different keys of
 * one `kid`, and keys whose private members are published. One bad key must not disable the others.
 * @param report called with the skipped keys
 * @throws Error when no key is left
 */
export function readKeySet(
  published: unknown,
  report: (skipped: readonly SkippedKey[]) => void = () => undefined,
): PublishedKeys {
  const listed = membersOf(published)['keys'];
  if (!Array.isArray(listed)) throw new Error('the key set is not an object with a list "keys"');
  // The next one is skipped by its place, so that somebody who misses it finds it reported.
  const keys = listed.slice(0, KEY_SET_KEYS_MAX + 1).map(readKey);
  const found = new Map<string, KeyObject>();
  const skipped = keys.flatMap((one) => {
    const why = faultAmong(keys, one);
    if (why !== undefined) return [{ name: one.name, why }];
    if (typeof one.key !== 'string') found.set(one.kid, one.key);
    return [];
  });
  report(skipped);
  // "At least one active key": an empty set is a mistake and must not replace the cached one.
  if (found.size > 0) return found;
  throw new Error('the key set has no key that is RSA, RS256, for signatures');
}

/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

type ListedKey = ReturnType<typeof readKey>;

function readKey(value: unknown, index: number) {
  const members = membersOf(value);
  const kid = typeof members['kid'] === 'string' ? members['kid'] : '';
  const key = toPublicKey(members);
  const fault = index < KEY_SET_KEYS_MAX ? faultOfForm(members, kid) : 'a set has too many keys';
  return {
    ...{ kid, key, name: `key ${String(index + 1)} ${JSON.stringify(kid.slice(0, 64))}` },
    isPrivate: PRIVATE_MEMBERS.some((name) => Object.hasOwn(members, name)),
    fault: fault ?? (typeof key === 'string' ? key : undefined),
  };
}

/** "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …" */
const FORM = { kty: 'RSA', use: 'sig', alg: 'RS256' } as const;

function faultOfForm(members: Members, kid: string): string | undefined {
  const wrong = Object.entries(FORM).find(([name, value]) => members[name] !== value);
  if (wrong !== undefined) return `its ${wrong.join(' is not ')}`;
  return hasCharacters(kid, KID_MAX_CHARACTERS) ? undefined : 'its kid is missing or too long';
}

/** "… and the RSA modulus `n` and exponent `e`." A sentence says why they are not sound. */
function toPublicKey({ n, e }: Members): KeyObject | string {
  if (!isBase64url(n) || !isBase64url(e)) return 'its n or its e is not base64url';
  return faultOfRsa({ n, e }) ?? createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

function faultAmong(keys: readonly ListedKey[], one: ListedKey): string | undefined {
  if (one.isPrivate || keys.some((each) => each.isPrivate && isSame(each, one))) return REVEALED;
  if (one.fault !== undefined) return one.fault;
  const isRival = (each: ListedKey) => each.kid === one.kid && each.fault === undefined;
  const isAmbiguous = keys.some((each) => isRival(each) && !each.isPrivate && !isSame(each, one));
  return isAmbiguous ? 'another key has the same kid' : undefined;
}

/** Compares the numbers: a key that is listed twice counts once. */
function isSame({ key: one }: ListedKey, { key: other }: ListedKey): boolean {
  return typeof one !== 'string' && typeof other !== 'string' && one.equals(other);
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]*$/.test(value) && value.length % 4 !== 1;
}
