// Parses header and claims of a session token by their exact JSON types (protocol 4.1 and 4.2;
// decision 9). A malformed token names the first member that is wrong.
import { hasCharacters } from '../domain/characters';
import {
  KID_MAX_CHARACTERS,
  TOKEN_MAX_CHARACTERS,
  TOKEN_TEXT_MAX_CHARACTERS,
} from '../domain/limits';
import { parseStrictJson, UnclearJson } from './strict-json';

export interface SessionClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly nbf?: number | undefined;
  readonly 'service:intent_id': string;
  readonly 'service:amount_usd_cents': number;
  readonly 'service:corridor': string;
  readonly 'service:kyc_attestation': {
    readonly verified: boolean;
    readonly method: string;
    readonly verified_at: string;
  };
  readonly 'service:sanctions_attestation': {
    readonly clean: boolean;
    readonly screened_at: string;
  };
}

export interface UnverifiedToken {
  readonly kid: string;
  readonly claims: SessionClaims;
}

/** Its member is one of a fixed list, so it may be logged. */
export interface MalformedToken {
  /** Such as `exp`, `header.kid` or `service:kyc_attestation.method`. */
  readonly member: string;
  /** What it should be. */
  readonly expected: string;
  /** The value as sent, or a size; undefined if it is missing. Never log it. */
  readonly found: unknown;
}

interface Rule {
  readonly member: string;
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

type Kind = Omit<Rule, 'member'>;

const TEXT: Kind = {
  expected: `a string of 1 to ${String(TOKEN_TEXT_MAX_CHARACTERS)} characters, without NUL or lone surrogate`,
  // Postgres cannot store NUL or lone surrogates.
  holds: (value) =>
    isString(value) &&
    hasCharacters(value, TOKEN_TEXT_MAX_CHARACTERS) &&
    value.isWellFormed() &&
    !value.includes('\0'),
};
const STRING: Kind = { expected: 'a string', holds: isString };
const INTEGER: Kind = { expected: 'an integer', holds: Number.isSafeInteger };
const BOOLEAN: Kind = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const OBJECT: Kind = { expected: 'an object', holds: isObject };
const ABSENT: Kind = { expected: 'no such member', holds: (value) => value === undefined };
const KYC = 'service:kyc_attestation';
const SANCTIONS = 'service:sanctions_attestation';

/** "All are required except `nbf`; a missing claim means rejection." */
const CLAIM_RULES: readonly Rule[] = [
  { member: 'iss', ...TEXT },
  { member: 'aud', ...STRING },
  { member: 'sub', ...TEXT },
  { member: 'iat', ...INTEGER },
  { member: 'exp', ...INTEGER },
  { member: 'jti', ...TEXT },
  {
    member: 'nbf',
    expected: 'an integer, or absent',
    holds: (value) => value === undefined || Number.isSafeInteger(value),
  },
  { member: 'service:intent_id', ...STRING },
  { member: 'service:amount_usd_cents', ...INTEGER },
  { member: 'service:corridor', ...STRING },
  { member: KYC, ...OBJECT },
  { member: `${KYC}.verified`, ...BOOLEAN },
  { member: `${KYC}.method`, ...TEXT },
  { member: `${KYC}.verified_at`, ...STRING },
  { member: SANCTIONS, ...OBJECT },
  { member: `${SANCTIONS}.clean`, ...BOOLEAN },
  { member: `${SANCTIONS}.screened_at`, ...STRING },
];

/**
 * RS256 and a `kid`, without critical extensions. Keys that the token contains or points to (`jwk`,
 * `jku`, `x5c`, `x5u`) are ignored: keys come only from the registered key set.
 */
const HEADER_RULES: readonly Rule[] = [
  { member: 'alg', expected: 'RS256', holds: (value) => value === 'RS256' },
  {
    member: 'kid',
    expected: `a string of 1 to ${String(KID_MAX_CHARACTERS)} characters`,
    holds: (value) => isString(value) && hasCharacters(value, KID_MAX_CHARACTERS),
  },
  { member: 'crit', ...ABSENT },
  { member: 'b64', ...ABSENT },
];

/** Parsed instead of a malformed header or payload, so that both take the same time. */
export const DUMMY_HEADER = Buffer.from('{"alg":"RS256","typ":"JWT","kid":"nobody"}');
export const DUMMY_CLAIMS = Buffer.from(
  JSON.stringify({
    iss: 'https://nobody.example',
    aud: 'service-checkout',
    sub: 'nobody',
    iat: 0,
    exp: 600,
    jti: '00000000-0000-0000-0000-000000000000',
    'service:intent_id': `pi_${'0'.repeat(26)}`,
    'service:amount_usd_cents': 1,
    'service:corridor': 'th_qrpay',
    [KYC]: { verified: false, method: 'none', verified_at: '1970-01-01T00:00:00Z' },
    [SANCTIONS]: { clean: false, screened_at: '1970-01-01T00:00:00Z' },
  }),
);

/**
 * The unverified header and claims of a token, or what is malformed in it. For malformed parts it
 * parses dummy ones, so that both take the same time (decision 112).
 */
export function readToken(token: string): UnverifiedToken | MalformedToken {
  const isBounded = token.length <= TOKEN_MAX_CHARACTERS;
  const segments = isBounded ? token.split('.', 4).map(decode) : [];
  const header = parse(segments[0] ?? DUMMY_HEADER);
  const claims = parse(segments[1] ?? DUMMY_CLAIMS);
  const inHeader = faultIn('header', header, HEADER_RULES);
  const inClaims = faultIn('claims', claims, CLAIM_RULES);
  const malformed = faultOfForm(token, segments) ?? inHeader ?? inClaims;
  if (malformed !== undefined) return malformed;
  const { kid } = header as { readonly kid: string };
  return { kid, claims: claims as SessionClaims };
}

export function isMalformed(token: UnverifiedToken | MalformedToken): token is MalformedToken {
  return 'member' in token;
}

function faultOfForm(
  token: string,
  segments: readonly (Buffer | undefined)[],
): MalformedToken | undefined {
  if (token.length > TOKEN_MAX_CHARACTERS) {
    const expected = `at most ${String(TOKEN_MAX_CHARACTERS)} characters`;
    return { member: 'token', expected, found: token.length };
  }
  // A text of another form may be a secret that was given by mistake: only its size is shown.
  if (segments.length !== 3) {
    const found = `${String(token.split('.').length)} segments`;
    return { member: 'token', expected: 'three segments with dots between', found };
  }
  const wrong = segments.indexOf(undefined);
  if (wrong === -1) return undefined;
  const member = ['header', 'claims', 'signature'][wrong] ?? 'token';
  const found = `${String(token.split('.')[wrong]?.length)} characters`;
  return { member, expected: 'base64url without padding, in its only spelling', found };
}

/** Checks every rule, so that the number of faults does not show in the time. */
function faultIn(
  part: 'header' | 'claims',
  value: unknown,
  rules: readonly Rule[],
): MalformedToken | undefined {
  if (!isObject(value)) return { member: part, expected: 'a JSON object in UTF-8', found: value };
  const wrong = rules.filter(({ member, holds }) => !holds(valueAt(value, member)));
  const [first] = wrong;
  if (first === undefined) return undefined;
  const member = part === 'header' ? `header.${first.member}` : first.member;
  return { member, expected: first.expected, found: valueAt(value, first.member) };
}

/** @param path a member, or two with a dot between */
function valueAt(value: object, path: string): unknown {
  const [outer = '', inner] = path.split('.');
  const found = ownMember(value, outer);
  return inner === undefined || !isObject(found) ? found : ownMember(found, inner);
}

function ownMember(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined unless the segment is canonical base64url without padding (RFC 7515, section 2). */
function decode(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url');
  const isCanonical = bytes.length > 0 && bytes.toString('base64url') === segment;
  return isCanonical ? bytes : undefined;
}

/** A text that is no clear JSON is returned as the sentence that says why. */
function parse(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    return error instanceof UnclearJson ? error.message.replace('body', 'token') : undefined;
  }
}
