// The claims of a session token, by their exact JSON types (spec, "Claims"; decision 9): `jose` checks none of it.
import { z } from 'zod';
import { TOKEN_MAX_CHARACTERS } from '../../src/domain/limits';

const text = z.string().min(1).max(1_024).refine(isPlainText);
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

/** RS256 and a `kid`; nothing that brings a key along or that a verifier would have to understand. */
const headerSchema = z.object({
  alg: z.literal('RS256'),
  kid: z.string().min(1).max(256),
  crit: z.never().optional(),
  b64: z.never().optional(),
});

export type SessionClaims = z.infer<typeof claimsSchema>;

export interface UnverifiedToken {
  readonly kid: string;
  readonly claims: SessionClaims;
}

/** The parts of a token that nobody has verified yet, or undefined when it is not a well-formed signed JWS. */
export function readToken(token: string): UnverifiedToken | undefined {
  const segments = token.split('.');
  const isCompact =
    segments.length === 3 &&
    token.length <= TOKEN_MAX_CHARACTERS &&
    segments.every((segment) => /^[A-Za-z0-9_-]+$/.test(segment));
  if (!isCompact) return undefined;
  const header = headerSchema.safeParse(decode(segments[0]));
  const claims = claimsSchema.safeParse(decode(segments[1]));
  if (!header.success || !claims.success) return undefined;
  return { kid: header.data.kid, claims: claims.data };
}

/** What Postgres can hold: no NUL, no lone surrogate. */
function isPlainText(claim: string): boolean {
  return claim.isWellFormed() && !claim.includes('\0');
}

function decode(segment = ''): unknown {
  try {
    const bytes = Buffer.from(segment, 'base64url');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
