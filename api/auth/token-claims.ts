// Parses header and claims of a session token by their exact JSON types (protocol 4.2; decision 9).
import { z } from 'zod';
import { parseJson } from '../json';
import { hasCharacters } from '../../src/domain/characters';
import {
  KID_MAX_CHARACTERS,
  TOKEN_MAX_CHARACTERS,
  TOKEN_TEXT_MAX_CHARACTERS,
} from '../../src/domain/limits';
import { DUMMY_CLAIMS, DUMMY_HEADER } from './dummy-credentials';

const text = z
  .string()
  .refine((claim) => hasCharacters(claim, TOKEN_TEXT_MAX_CHARACTERS) && isPlainText(claim));
const seconds = z.int();

/** "All are required except `nbf`; a missing claim means rejection." */
const claimsSchema = z.object({
  iss: text,
  aud: z.string(),
  sub: text,
  iat: seconds,
  exp: seconds,
  jti: text,
  nbf: seconds.optional(),
  'service:intent_id': z.string(),
  'service:amount_usd_cents': z.int(),
  'service:corridor': z.string(),
  'service:kyc_attestation': z.object({
    verified: z.boolean(),
    method: text,
    verified_at: z.string(),
  }),
  'service:sanctions_attestation': z.object({ clean: z.boolean(), screened_at: z.string() }),
});

/**
 * RS256 and a `kid`, without critical extensions. Keys that the token contains or points to (`jwk`,
 * `jku`, `x5c`, `x5u`) are ignored: keys come only from the registered key set.
 */
const headerSchema = z.object({
  alg: z.literal('RS256'),
  kid: z.string().refine((kid) => hasCharacters(kid, KID_MAX_CHARACTERS)),
  crit: z.never().optional(),
  b64: z.never().optional(),
});

export type SessionClaims = z.infer<typeof claimsSchema>;

export interface UnverifiedToken {
  readonly kid: string;
  readonly claims: SessionClaims;
}

/**
 * The unverified header and claims of a token; undefined when it is not a well-formed signed JWS.
 * For malformed parts it parses dummy ones, so that both take the same time (decision 112).
 */
export function readToken(token: string): UnverifiedToken | undefined {
  const isBounded = token.length <= TOKEN_MAX_CHARACTERS;
  const segments = isBounded ? token.split('.', 4).map(decode) : [];
  const [header = DUMMY_HEADER, claims = DUMMY_CLAIMS] = segments;
  const parsedHeader = headerSchema.safeParse(parse(header));
  const parsedClaims = claimsSchema.safeParse(parse(claims));
  const isWhole = segments.length === 3 && segments.every((segment) => segment !== undefined);
  if (!isWhole || !parsedHeader.success || !parsedClaims.success) return undefined;
  return { kid: parsedHeader.data.kid, claims: parsedClaims.data };
}

/** Postgres cannot store NUL or lone surrogates. */
function isPlainText(claim: string): boolean {
  return claim.isWellFormed() && !claim.includes('\0');
}

/** Undefined unless the segment is canonical base64url without padding (RFC 7515, section 2). */
function decode(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url');
  const isCanonical = bytes.length > 0 && bytes.toString('base64url') === segment;
  return isCanonical ? bytes : undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}
