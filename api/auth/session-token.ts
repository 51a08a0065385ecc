// Session tokens (spec, "Session JWT", "Verification order"): eleven checks, in order; read the lists downward. GET goes
// through all of them. Confirm judges the state afterwards, with a 409 of its own (decisions 6 and 7).
import { createHash } from 'node:crypto';
import { compactVerify } from 'jose';
import { parseIntentId } from '../../src/domain/ids';
import {
  TOKEN_AGE_MAX_SECONDS,
  TOKEN_FUTURE_MAX_SECONDS,
  TOKEN_LIFETIME_MAX_SECONDS,
} from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import type { Clock } from '../../src/ports/clock';
import type { TokenUse } from '../../src/domain/transition';
import type { PartnerDirectory, TokenIssuer } from '../../src/ports/partner-directory';
import type { SessionTokenStore, TokenState } from '../../src/ports/session-tokens';
import { createExpiringCache } from './expiring-cache';
import type { KeySets } from './key-set';
import { refused } from './signed-request';
import { parseRfc3339 } from './timestamp';
import { readToken, type SessionClaims } from './token-claims';

export type TokenPurpose = 'read' | 'confirm';

export interface VerifiedSession {
  /** The intent the token is bound to, as its claim says it. */
  readonly boundTo: string;
  /** That intent, or undefined when there is none. */
  readonly intent: PaymentIntent | undefined;
  readonly use: TokenUse;
  readonly state: TokenState;
}

export type VerifySessionToken = (token: string, purpose: TokenPurpose) => Promise<VerifiedSession>;

interface SessionTokenOptions {
  readonly partners: PartnerDirectory;
  readonly keySets: KeySets;
  readonly tokens: SessionTokenStore;
  readonly clock: Clock;
}

interface Evidence {
  readonly claims: SessionClaims;
  readonly issuer: TokenIssuer;
  readonly intent: PaymentIntent | undefined;
  readonly state: TokenState;
  readonly purpose: TokenPurpose;
  readonly nowSeconds: number;
}

interface Check {
  readonly reason: string;
  readonly holds: (evidence: Evidence) => boolean;
}

/** Steps 4 to 11; steps 1 to 3, which find the evidence, are `verify` below. */
const CHECKS: readonly Check[] = [
  { reason: 'aud_wrong', holds: ({ claims }) => claims.aud === 'service-checkout' },
  { reason: 'issuer_of_another_partner', holds: isIssuerOfIntent },
  { reason: 'not_valid_now', holds: isValidNow },
  {
    reason: 'lifetime_over_600_s',
    holds: ({ claims }) => lifetime(claims) <= TOKEN_LIFETIME_MAX_SECONDS,
  },
  { reason: 'jti_used', holds: isUnused },
  { reason: 'state_not_open', holds: isOpenForReading },
  { reason: 'amount_differs', holds: isAmountOfIntent },
  { reason: 'corridor_differs', holds: isCorridorOfIntent },
  { reason: 'attestation_not_accepted', holds: isAttested },
];

const ISSUER_KEPT_MS = 5_000;
const ISSUERS_KEPT_MAX = 10_000;

/** @returns a function that throws DomainError `authentication_failed` when any check fails. */
export function createSessionTokenVerifier(options: SessionTokenOptions): VerifySessionToken {
  const { partners, keySets, tokens, clock } = options;
  const findIssuer = createExpiringCache<TokenIssuer>({
    clock,
    keptMs: ISSUER_KEPT_MS,
    entriesMax: ISSUERS_KEPT_MAX,
    load: (issuer) => partners.findTokenIssuer(issuer),
  });
  return async function verify(token, purpose) {
    const unverified = readToken(token);
    if (unverified === undefined) throw refused('token_malformed');
    const { kid, claims } = unverified;
    const issuer = await findIssuer(claims.iss);
    if (issuer === undefined) throw refused('issuer_unknown');
    const key = await keySets.findKey(issuer.jwksUrl, kid);
    if (key === undefined) throw refused('kid_unknown');
    await compactVerify(token, key, { algorithms: ['RS256'] }).catch(() => {
      throw refused('signature_wrong');
    });
    const use = tokenUse(claims, issuer);
    const boundTo = claims['service:intent_id'];
    const { intent, state } = await look(tokens, boundTo, use);
    const nowSeconds = clock.now().getTime() / 1_000;
    const evidence = { claims, issuer, intent, state, purpose, nowSeconds };
    const failed = CHECKS.find((check) => !check.holds(evidence));
    if (failed !== undefined) throw refused(failed.reason);
    return { boundTo, intent, use, state };
  };
}

async function look(
  tokens: SessionTokenStore,
  boundTo: string,
  use: TokenUse,
): Promise<{ readonly intent: PaymentIntent | undefined; readonly state: TokenState }> {
  const intentId = parseIntentId(boundTo);
  if (intentId === undefined) return { intent: undefined, state: 'unused' };
  const { intent, token } = await tokens.look(intentId, use.partnerId, use.jtiHash);
  return { intent, state: token };
}

function tokenUse(claims: SessionClaims, issuer: TokenIssuer): TokenUse {
  return {
    partnerId: issuer.partnerId,
    jtiHash: createHash('sha256').update(claims.jti, 'utf8').digest('hex'),
    expiresAtMs: claims.exp * 1_000,
  };
}

/** Step 5: "`iss` matches the partner registered for the intent." Where there is no intent, the answer is 404 later. */
function isIssuerOfIntent({ intent, issuer }: Evidence): boolean {
  return intent === undefined || intent.partnerId === issuer.partnerId;
}

/** Step 6: "`exp` is in the future; `nbf`, if present, is in the past; `iat` is not more than 15 minutes in the past." */
function isValidNow({ claims, nowSeconds }: Evidence): boolean {
  return (
    claims.exp > nowSeconds &&
    (claims.nbf === undefined || claims.nbf <= nowSeconds) &&
    claims.iat >= nowSeconds - TOKEN_AGE_MAX_SECONDS &&
    claims.iat <= nowSeconds + TOKEN_FUTURE_MAX_SECONDS
  );
}

/** Step 7: "`exp - iat` is at most 600." */
function lifetime({ exp, iat }: SessionClaims): number {
  return exp - iat;
}

/** Step 8: "`jti` has not been used." A confirm that was never answered may be repeated with its token (decision 6). */
function isUnused({ state, purpose }: Evidence): boolean {
  return state === 'unused' || (purpose === 'confirm' && state === 'unanswered');
}

/** Step 9: "the intent is in state `created` or `authorized`." */
function isOpenForReading({ intent, purpose }: Evidence): boolean {
  if (intent === undefined || purpose === 'confirm') return true;
  return intent.status === 'created' || intent.status === 'authorized';
}

/** Step 10. */
function isAmountOfIntent({ intent, claims }: Evidence): boolean {
  return intent === undefined || intent.amountUsdCents === claims['service:amount_usd_cents'];
}

/** Step 11. */
function isCorridorOfIntent({ intent, claims }: Evidence): boolean {
  return intent === undefined || intent.corridor === claims['service:corridor'];
}

/** Decision 9: verified and clean, with times that have been. */
function isAttested({ claims, nowSeconds }: Evidence): boolean {
  const kyc = claims['service:kyc_attestation'];
  const sanctions = claims['service:sanctions_attestation'];
  const latestMs = (nowSeconds + TOKEN_FUTURE_MAX_SECONDS) * 1_000;
  const times = [kyc.verified_at, sanctions.screened_at].map(parseRfc3339);
  const hasBeen = times.every((time) => time !== undefined && time <= latestMs);
  return kyc.verified && sanctions.clean && hasBeen;
}
