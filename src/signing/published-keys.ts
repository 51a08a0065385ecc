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
  /** Whether its private members are published. */
  readonly isPrivate: boolean;
}

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
  const keys = listed.slice(0, KEY_SET_KEYS_MAX).map(readKey);
  const found = new Map<string, KeyObject>();
  const skipped: SkippedKey[] = [];
  for (const one of keys) {
    const why = faultAmong(keys, one);
    if (why !== undefined) skipped.push({ name: one.name, why, isPrivate: why === REVEALED });
    else if (typeof one.key !== 'string') found.set(one.kid, one.key);
  }
  if (listed.length > keys.length) skipped.push(LATER_KEYS);
  report(skipped);
  // "At least one active key": an empty set is a mistake and must not replace the cached one.
  if (found.size === 0)
    throw new Error('the key set has no key that is RSA, RS256, for signatures');
  return found;
}

const LATER_KEYS = {
  ...{ name: 'each later key', isPrivate: false },
  why: `only ${String(KEY_SET_KEYS_MAX)} are read`,
} as const;

const REVEALED = 'its private members are published: anybody can sign';

interface ListedKey {
  readonly name: string;
  readonly isPrivate: boolean;
  readonly kid: string;
  /** A sentence unless `n` and `e` are sound. */
  readonly key: KeyObject | string;
  /** Why the key itself cannot be used. */
  readonly fault: string | undefined;
}

/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const KID_SHOWN_CHARACTERS = 64;

function readKey(value: unknown, index: number): ListedKey {
  const members = membersOf(value);
  const kid = typeof members['kid'] === 'string' ? members['kid'] : '';
  const key = toPublicKey(members);
  const shown = kid === '' ? '' : `, kid ${JSON.stringify(kid.slice(0, KID_SHOWN_CHARACTERS))}`;
  return {
    ...{ kid, key, name: `key ${String(index + 1)}${shown}` },
    isPrivate: PRIVATE_MEMBERS.some((name) => Object.hasOwn(members, name)),
    fault: faultOfForm(members, kid) ?? (typeof key === 'string' ? key : undefined),
  };
}

/** "`use` = `sig`, `kty` = `RSA`, `alg` = `RS256`, a `kid` …" */
const FORM = { kty: 'RSA', use: 'sig', alg: 'RS256' } as const;

function faultOfForm(members: Members, kid: string): string | undefined {
  const wrong = Object.entries(FORM).find(([name, value]) => members[name] !== value);
  if (wrong !== undefined) return `its ${wrong.join(' is not ')}`;
  if (hasCharacters(kid, KID_MAX_CHARACTERS)) return undefined;
  return `its kid is not a text of 1 to ${String(KID_MAX_CHARACTERS)} characters`;
}

/** "… and the RSA modulus `n` and exponent `e`." */
function toPublicKey({ n, e }: Members): KeyObject | string {
  if (!isBase64url(n) || !isBase64url(e)) return 'its n or its e is not base64url';
  return faultOfRsa({ n, e }) ?? createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

function faultAmong(keys: readonly ListedKey[], one: ListedKey): string | undefined {
  const isRevealed = keys.some(({ isPrivate, key }) => isPrivate && isSame(key, one.key));
  if (one.isPrivate || isRevealed) return REVEALED;
  if (one.fault !== undefined) return one.fault;
  const isAmbiguous = keys.some(({ kid, key, fault, isPrivate }) => {
    return kid === one.kid && fault === undefined && !isPrivate && !isSame(key, one.key);
  });
  return isAmbiguous ? 'another key has the same kid' : undefined;
}

/** Compares the numbers: a key that is listed twice counts once. */
function isSame(one: KeyObject | string, other: KeyObject | string): boolean {
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
