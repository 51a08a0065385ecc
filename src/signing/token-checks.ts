// The eleven checks of session tokens (protocol 4.7), in the order of the two lists below. The API
// decides by them, and explain-token.ts explains by them, so that neither contradicts the other.
import { KeyObject } from 'node:crypto';
import {
  ATTESTED_AHEAD_MAX_SECONDS,
  TOKEN_AGE_MAX_SECONDS,
  TOKEN_ISSUED_AHEAD_MAX_SECONDS,
  TOKEN_LIFETIME_MAX_SECONDS,
  TOKEN_NOT_BEFORE_AHEAD_MAX_SECONDS,
} from '../domain/limits';
import type { IntentStatus } from '../domain/intents/payment-intent';
import type { TokenState } from '../domain/intents/transition';
import { parseRfc3339 } from '../domain/rfc3339';
import {
  isMalformed,
  type MalformedToken,
  type SessionClaims,
  type UnverifiedToken,
} from './token-claims';

export type TokenPurpose = 'read' | 'confirm' | 'status';

/** The key, or why there is none. */
export type FoundKey = KeyObject | 'kid_unknown' | 'key_set_not_fetched';

/** The partner whose issuer the token names. */
export interface TokenOwner {
  readonly partnerId: string;
  /** How old an attestation may be; null is any age (decision 9). */
  readonly kycMaxAgeSeconds: number | null;
  readonly sanctionsMaxAgeSeconds: number | null;
}

/** If one of issuer and key is missing, so are the later ones. */
export interface TokenProof {
  /** Undefined when the header is missing, repeated or not a bearer token. */
  readonly token: string | undefined;
  readonly read: UnverifiedToken | MalformedToken;
  readonly issuer: TokenOwner | undefined;
  readonly key: FoundKey | undefined;
  readonly isVerified: boolean;
}

export interface TokenEvidence {
  readonly claims: SessionClaims;
  readonly issuer: TokenOwner;
  /** Undefined when there is no such intent. */
  readonly intent:
    | {
        readonly partnerId: string;
        readonly status: IntentStatus;
        readonly amountUsdCents: number;
        readonly corridor: string;
      }
    | undefined;
  readonly state: TokenState;
  readonly purpose: TokenPurpose;
  readonly nowSeconds: number;
}

export type ProofReason =
  | 'bearer_missing_or_malformed'
  | 'token_malformed'
  | 'issuer_unknown'
  | 'key_set_not_fetched'
  | 'kid_unknown'
  | 'signature_wrong';

export type EvidenceReason =
  | 'aud_wrong'
  | 'issuer_of_another_partner'
  | 'not_valid_now'
  | 'exp_not_after_iat'
  | 'lifetime_over_600_s'
  | 'jti_used'
  | 'jti_not_used'
  | 'state_not_open'
  | 'amount_differs'
  | 'corridor_differs'
  | 'attestation_not_accepted';

interface Check<Reason, Facts> {
  readonly step: number | null;
  readonly reason: Reason;
  readonly holds: (facts: Facts) => boolean;
}

/** The first three of the eleven steps. */
export const PROOF_CHECKS: readonly Check<ProofReason, TokenProof>[] = [
  {
    step: 1,
    reason: 'bearer_missing_or_malformed',
    holds: ({ token }) => token !== undefined,
  },
  { step: 1, reason: 'token_malformed', holds: ({ read }) => !isMalformed(read) },
  { step: 2, reason: 'issuer_unknown', holds: ({ issuer }) => issuer !== undefined },
  { step: 2, reason: 'key_set_not_fetched', holds: ({ key }) => key !== 'key_set_not_fetched' },
  { step: 2, reason: 'kid_unknown', holds: ({ key }) => key instanceof KeyObject },
  { step: 3, reason: 'signature_wrong', holds: ({ isVerified }) => isVerified },
];

/** The other eight steps, and the attestations (protocol 4.3). */
export const EVIDENCE_CHECKS: readonly Check<EvidenceReason, TokenEvidence>[] = [
  { step: 4, reason: 'aud_wrong', holds: ({ claims }) => claims.aud === 'service-checkout' },
  { step: 5, reason: 'issuer_of_another_partner', holds: isIssuerOfIntent },
  { step: 6, reason: 'not_valid_now', holds: isValidNow },
  { step: 7, reason: 'exp_not_after_iat', holds: ({ claims }) => lifetime(claims) > 0 },
  {
    step: 7,
    reason: 'lifetime_over_600_s',
    holds: ({ claims }) => lifetime(claims) <= TOKEN_LIFETIME_MAX_SECONDS,
  },
  { step: 8, reason: 'jti_used', holds: isUnused },
  // Instead, the status page requires a used one (decision 29).
  { step: 8, reason: 'jti_not_used', holds: isSpentOnIntent },
  { step: 9, reason: 'state_not_open', holds: isOpenForReading },
  { step: 10, reason: 'amount_differs', holds: isAmountOfIntent },
  { step: 11, reason: 'corridor_differs', holds: isCorridorOfIntent },
  { step: null, reason: 'attestation_not_accepted', holds: isAttested },
];

/** Step 5. Without an intent the request is answered 404 later. */
function isIssuerOfIntent({ intent, issuer }: TokenEvidence): boolean {
  return intent === undefined || intent.partnerId === issuer.partnerId;
}

/** Step 6. */
function isValidNow({ claims, nowSeconds }: TokenEvidence): boolean {
  return (
    claims.exp > nowSeconds &&
    (claims.nbf ?? 0) <= nowSeconds + TOKEN_NOT_BEFORE_AHEAD_MAX_SECONDS &&
    claims.iat >= nowSeconds - TOKEN_AGE_MAX_SECONDS &&
    claims.iat <= nowSeconds + TOKEN_ISSUED_AHEAD_MAX_SECONDS
  );
}

/** Step 7. */
function lifetime({ exp, iat }: SessionClaims): number {
  return exp - iat;
}

/** Step 8: "`jti` has not been used." An unanswered confirm may repeat its token (decision 6). */
function isUnused({ state, purpose }: TokenEvidence): boolean {
  if (purpose === 'status') return true;
  return state === 'unused' || (purpose === 'confirm' && state === 'unanswered');
}

/** The status endpoint requires that the token has confirmed this intent. */
function isSpentOnIntent({ state, purpose }: TokenEvidence): boolean {
  return purpose !== 'status' || state === 'unanswered' || state === 'answered';
}

/**
 * Step 9: "the intent is in state `created` or `authorized`." Confirm skips it: it answers another
 * state with 409 later (decision 7).
 */
function isOpenForReading({ intent, purpose }: TokenEvidence): boolean {
  if (intent === undefined || purpose !== 'read') return true;
  return intent.status === 'created' || intent.status === 'authorized';
}

/** Step 10. */
function isAmountOfIntent({ intent, claims }: TokenEvidence): boolean {
  return intent === undefined || intent.amountUsdCents === claims['service:amount_usd_cents'];
}

/** Step 11. */
function isCorridorOfIntent({ intent, claims }: TokenEvidence): boolean {
  return intent === undefined || intent.corridor === claims['service:corridor'];
}

/** Verified and clean, at times in the past and within the partner's age limits. */
function isAttested({ claims, issuer, nowSeconds }: TokenEvidence): boolean {
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
