// Verifies session tokens with the eleven checks of protocol 4.7, in the order of the lists below.
// Confirm skips the intent's state, which it answers with 409 later (decisions 6 and 7). The status
// endpoint requires a used token (decision 29).
import { hash, KeyObject } from 'node:crypto';
import { parseIntentId } from '../../src/domain/ids';
import {
  ATTESTED_AHEAD_MAX_SECONDS,
  TOKEN_AGE_MAX_SECONDS,
  TOKEN_ISSUED_AHEAD_MAX_SECONDS,
  TOKEN_LIFETIME_MAX_SECONDS,
} from '../../src/domain/limits';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { Clock } from '../../src/ports/clock';
import type { TokenUse } from '../../src/domain/intents/transition';
import { parseRfc3339 } from '../../src/domain/rfc3339';
import type { TokenIssuer } from '../../src/ports/partner-directory';
import type { SessionTokenStore, TokenState } from '../../src/ports/session-tokens';
import type { Directory, KnownPartners } from './directory';
import type { KeySets } from './key-set';
import { DUMMY_INTENT, DUMMY_JTI_HASH, DUMMY_PARTNER } from './dummy-credentials';
import { rejectToken, type TokenRejection } from './rejections';
import type { SessionClaims } from './token-claims';
import { createProver, type PresentedToken, type Proof } from './token-proof';

export type TokenPurpose = 'read' | 'confirm' | 'status';

export interface VerifiedSession {
  /** The intent id in the token's claim, which may be malformed or unknown. */
  readonly boundTo: string;
  /** Undefined when no such intent exists. */
  readonly intent: PaymentIntent | undefined;
  readonly use: TokenUse;
  readonly state: TokenState;
  /** The partner's app schemes, to which the checkout may return (decision 28). */
  readonly returnSchemes: readonly string[];
  /** Whether the cents that may be authorized a day have a limit (decision 139). */
  readonly hasDayLimit: boolean;
}

export type VerifySessionToken = (
  presented: PresentedToken,
  purpose: TokenPurpose,
) => Promise<VerifiedSession>;

interface SessionTokenOptions {
  readonly directory: Directory;
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

interface Check<Facts> {
  readonly reason: TokenRejection;
  readonly holds: (facts: Facts) => boolean;
}

/** The first three of the eleven steps of protocol 4.7, in order. */
const PROOF_CHECKS: readonly Check<Proof>[] = [
  // Step 1.
  { reason: 'both_kinds_of_credentials', holds: ({ presented }) => !presented.isSignedToo },
  {
    reason: 'bearer_missing_or_malformed',
    holds: ({ presented }) => presented.token !== undefined,
  },
  { reason: 'token_malformed', holds: ({ unverified }) => unverified !== undefined },
  // Step 2.
  { reason: 'issuer_unknown', holds: ({ issuer }) => issuer !== undefined },
  { reason: 'key_set_not_fetched', holds: ({ key }) => key !== 'key_set_not_fetched' },
  { reason: 'kid_unknown', holds: ({ key }) => key instanceof KeyObject },
  // Step 3.
  { reason: 'signature_wrong', holds: ({ isVerified }) => isVerified },
];

/** The other eight steps, in order, and the attestations. */
const CHECKS: readonly Check<Evidence>[] = [
  // Step 4.
  { reason: 'aud_wrong', holds: ({ claims }) => claims.aud === 'service-checkout' },
  // Step 5.
  { reason: 'issuer_of_another_partner', holds: isIssuerOfIntent },
  // Step 6.
  { reason: 'not_valid_now', holds: isValidNow },
  // Step 7.
  { reason: 'exp_not_after_iat', holds: ({ claims }) => lifetime(claims) > 0 },
  {
    reason: 'lifetime_over_600_s',
    holds: ({ claims }) => lifetime(claims) <= TOKEN_LIFETIME_MAX_SECONDS,
  },
  // Step 8; the status page requires a used one instead (decision 29).
  { reason: 'jti_used', holds: isUnused },
  { reason: 'jti_not_used', holds: isSpentOnIntent },
  // Step 9.
  { reason: 'state_not_open', holds: isOpenForReading },
  // Step 10.
  { reason: 'amount_differs', holds: isAmountOfIntent },
  // Step 11.
  { reason: 'corridor_differs', holds: isCorridorOfIntent },
  // Protocol 4.3.
  { reason: 'attestation_not_accepted', holds: isAttested },
];

interface Verdict {
  readonly proof: Proof;
  readonly reason: TokenRejection | undefined;
  readonly session: VerifiedSession | undefined;
  /** The version of the partner directory when the token was looked up. */
  readonly directoryVersion: number;
}

/** @returns a function that throws DomainError `authentication_failed` when any check fails. */
export function createSessionTokenVerifier(options: SessionTokenOptions): VerifySessionToken {
  const { directory, tokens, clock } = options;
  const prover = createProver(options.keySets);
  // A token that is rejected before the look-up waits for a dummy read, batched with the real ones.
  const readDummyToken = () => tokens.readToken(DUMMY_INTENT, DUMMY_PARTNER, DUMMY_JTI_HASH);

  const check = async (
    presented: PresentedToken,
    purpose: TokenPurpose,
    known: KnownPartners,
  ): Promise<Verdict> => {
    const proof = await prover.prove(presented, known.issuers);
    const unproven = PROOF_CHECKS.find(({ holds }) => !holds(proof));
    const { unverified, issuer } = proof;
    if (unproven !== undefined || unverified === undefined || issuer === undefined) {
      const { directoryVersion } = await readDummyToken();
      return { proof, reason: unproven?.reason, session: undefined, directoryVersion };
    }
    const { claims } = unverified;
    const use = tokenUse(claims, issuer);
    const boundTo = claims['service:intent_id'];
    const intentId = parseIntentId(boundTo) ?? DUMMY_INTENT;
    const found = await tokens.readToken(intentId, use.partnerId, use.jtiHash);
    const { intent, token: state, directoryVersion } = found;
    const nowSeconds = clock.now().getTime() / 1_000;
    const evidence = { claims, issuer, intent, state, purpose, nowSeconds };
    const failed = CHECKS.find(({ holds }) => !holds(evidence));
    const { returnSchemes, hasDayLimit } = issuer;
    const session = { boundTo, intent, use, state, returnSchemes, hasDayLimit };
    return { proof, reason: failed?.reason, session, directoryVersion };
  };

  return async function verify(presented, purpose) {
    const cached = await directory.cached();
    const first = await check(presented, purpose, cached);
    // A change that payctl has made must apply as soon as payctl returns, to accepted and rejected
    // tokens alike.
    const isCurrent = first.directoryVersion === cached.version;
    const { proof, reason, session } = isCurrent
      ? first
      : await check(presented, purpose, await directory.refreshed());
    if (reason !== undefined || session === undefined) {
      throw rejectToken(reason ?? 'token_malformed', claimed(proof));
    }
    prover.cache(proof);
    return session;
  };
}

/** Ids for the log: the registered partner, and the intent in the token, verified or not. */
function claimed({ unverified, issuer }: Proof) {
  return {
    partnerId: issuer?.partnerId,
    intentId: unverified && parseIntentId(unverified.claims['service:intent_id']),
  };
}

function tokenUse(claims: SessionClaims, issuer: TokenIssuer): TokenUse {
  return {
    partnerId: issuer.partnerId,
    jtiHash: hash('sha256', claims.jti),
    expiresAtMs: claims.exp * 1_000,
  };
}

/** Step 5. Without an intent the request is answered 404 later. */
function isIssuerOfIntent({ intent, issuer }: Evidence): boolean {
  return intent === undefined || intent.partnerId === issuer.partnerId;
}

/** Step 6. */
function isValidNow({ claims, nowSeconds }: Evidence): boolean {
  return (
    claims.exp > nowSeconds &&
    (claims.nbf === undefined || claims.nbf <= nowSeconds) &&
    claims.iat >= nowSeconds - TOKEN_AGE_MAX_SECONDS &&
    claims.iat <= nowSeconds + TOKEN_ISSUED_AHEAD_MAX_SECONDS
  );
}

/** Step 7. */
function lifetime({ exp, iat }: SessionClaims): number {
  return exp - iat;
}

/** Step 8: "`jti` has not been used." An unanswered confirm may repeat its token (decision 6). */
function isUnused({ state, purpose }: Evidence): boolean {
  if (purpose === 'status') return true;
  return state === 'unused' || (purpose === 'confirm' && state === 'unanswered');
}

/** The status endpoint requires that the token has confirmed this intent (decision 29). */
function isSpentOnIntent({ state, purpose }: Evidence): boolean {
  return purpose !== 'status' || state === 'unanswered' || state === 'answered';
}

/** Step 9: "the intent is in state `created` or `authorized`." */
function isOpenForReading({ intent, purpose }: Evidence): boolean {
  if (intent === undefined || purpose !== 'read') return true;
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

/** Verified and clean, at times in the past and within the partner's age limits (decision 9). */
function isAttested({ claims, issuer, nowSeconds }: Evidence): boolean {
  const kyc = claims['service:kyc_attestation'];
  const sanctions = claims['service:sanctions_attestation'];
  const isWithinAge = (text: string, maxAgeSeconds: number | null) => {
    const seconds = (parseRfc3339(text) ?? Number.NaN) / 1_000;
    const earliest = maxAgeSeconds === null ? Number.NEGATIVE_INFINITY : nowSeconds - maxAgeSeconds;
    return seconds >= earliest && seconds <= nowSeconds + ATTESTED_AHEAD_MAX_SECONDS;
  };
  return (
    kyc.verified &&
    isWithinAge(kyc.verified_at, issuer.kycMaxAgeSeconds) &&
    sanctions.clean &&
    isWithinAge(sanctions.screened_at, issuer.sanctionsMaxAgeSeconds)
  );
}
