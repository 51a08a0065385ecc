// What each check of a session token expects, and what it found in this token (protocol 4.7). Only
// the holder of the token sees it: an answer of the API never says which check failed.
import {
  ATTESTED_AHEAD_MAX_SECONDS,
  TOKEN_AGE_MAX_SECONDS,
  TOKEN_ISSUED_AHEAD_MAX_SECONDS,
  TOKEN_LIFETIME_MAX_SECONDS,
  TOKEN_NOT_BEFORE_AHEAD_MAX_SECONDS,
} from '../domain/limits';
import { parseRfc3339 } from '../domain/rfc3339';
import type { EvidenceReason, ProofReason, TokenEvidence, TokenProof } from './token-checks';
import { isMalformed, type SessionClaims } from './token-claims';

export interface Finding {
  /** The claim, `header.kid` and the like, or `signature`. */
  readonly claim: string;
  readonly expected: string;
  readonly found: string;
}

const SHOWN_MAX_CHARACTERS = 200;

type Findings<Reason extends string, Facts> = Readonly<Record<Reason, (facts: Facts) => Finding>>;

export const PROOF_FINDINGS: Findings<ProofReason, TokenProof> = {
  bearer_missing_or_malformed: ({ token }) => ({
    claim: 'Authorization',
    expected: 'one text without spaces after "Bearer "',
    found: token === undefined ? 'none' : `${String(token.length)} characters`,
  }),
  token_malformed: ({ read }) =>
    isMalformed(read)
      ? { claim: read.member, expected: read.expected, found: shown(read.found) }
      : { claim: 'token', expected: 'all members of the right type', found: 'all' },
  issuer_unknown: ({ read }) => ({
    claim: 'iss',
    expected: 'a registered key-set address, or it without /.well-known/jwks.json',
    found: isMalformed(read) ? '' : shown(read.claims.iss),
  }),
  key_set_not_fetched: ({ key }) => ({
    claim: 'iss',
    expected: 'a key set with a usable key at the registered address',
    found: key === 'key_set_not_fetched' ? 'none could be fetched' : 'it was fetched',
  }),
  kid_unknown: ({ read }) => ({
    claim: 'header.kid',
    expected: 'the kid of one usable key of the key set (RSA, RS256, use sig)',
    found: isMalformed(read) ? '' : shown(read.kid),
  }),
  signature_wrong: ({ isVerified }) => ({
    claim: 'signature',
    expected: 'RS256 by the key that kid names, over header and claims as sent',
    found: isVerified ? 'it verifies' : 'it does not verify',
  }),
};

export const EVIDENCE_FINDINGS: Findings<EvidenceReason, TokenEvidence> = {
  aud_wrong: ({ claims }) => ({
    claim: 'aud',
    expected: '"service-checkout"',
    found: shown(claims.aud),
  }),
  issuer_of_another_partner: ({ intent, issuer }) => ({
    claim: 'iss',
    expected: `the issuer of ${intent?.partnerId ?? 'the partner'}, whose intent it is`,
    found: `the issuer of ${issuer.partnerId}`,
  }),
  not_valid_now: validity,
  exp_not_after_iat: ({ claims }) => ({
    claim: 'exp',
    expected: 'after iat',
    found: lifetime(claims),
  }),
  lifetime_over_600_s: ({ claims }) => ({
    claim: 'exp',
    expected: `at most iat + ${String(TOKEN_LIFETIME_MAX_SECONDS)}`,
    found: lifetime(claims),
  }),
  jti_used: ({ state }) => ({
    claim: 'jti',
    expected: 'a jti that has confirmed nothing',
    found: USES[state],
  }),
  jti_not_used: ({ state }) => ({
    claim: 'jti',
    expected: 'the jti that confirmed this intent',
    found: USES[state],
  }),
  state_not_open: ({ intent }) => ({
    claim: 'service:intent_id',
    expected: 'an intent that is created or authorized',
    found: intent?.status ?? 'no such intent',
  }),
  amount_differs: ({ intent, claims }) => ({
    claim: 'service:amount_usd_cents',
    expected: intent === undefined ? 'the amount of the intent' : String(intent.amountUsdCents),
    found: String(claims['service:amount_usd_cents']),
  }),
  corridor_differs: ({ intent, claims }) => ({
    claim: 'service:corridor',
    expected: intent === undefined ? 'the corridor of the intent' : shown(intent.corridor),
    found: shown(claims['service:corridor']),
  }),
  attestation_not_accepted: attestation,
};

const USES = {
  unused: 'it was not used',
  unanswered: 'it confirmed this intent, and no confirm was answered yet',
  answered: 'it confirmed this intent',
  elsewhere: 'it confirmed another intent',
} as const;

/** Names the first of the three times that is wrong; all of them where none is. */
function validity({ claims, nowSeconds }: TokenEvidence): Finding {
  const { exp, nbf, iat } = claims;
  if (exp <= nowSeconds) {
    return { claim: 'exp', expected: `after now, ${at(nowSeconds)}`, found: at(exp) };
  }
  const latestNbf = nowSeconds + TOKEN_NOT_BEFORE_AHEAD_MAX_SECONDS;
  if (nbf !== undefined && nbf > latestNbf) {
    return { claim: 'nbf', expected: `at most ${at(latestNbf)}`, found: at(nbf) };
  }
  const [from, to] = [
    nowSeconds - TOKEN_AGE_MAX_SECONDS,
    nowSeconds + TOKEN_ISSUED_AHEAD_MAX_SECONDS,
  ];
  const isInTime = iat >= from && iat <= to;
  return {
    claim: isInTime ? 'exp, nbf, iat' : 'iat',
    expected: `iat from ${at(from)} to ${at(to)}`,
    found: isInTime ? `iat ${at(iat)}, exp ${at(exp)}` : at(iat),
  };
}

/** Names the first member that is wrong. */
function attestation({ claims, issuer, nowSeconds }: TokenEvidence): Finding {
  const kyc = claims['service:kyc_attestation'];
  const sanctions = claims['service:sanctions_attestation'];
  const [ofKyc, ofSanctions] = ['service:kyc_attestation', 'service:sanctions_attestation'];
  const latest = nowSeconds + ATTESTED_AHEAD_MAX_SECONDS;
  const time = (claim: string, text: string, maxAgeSeconds: number | null) => {
    const seconds = (parseRfc3339(text) ?? Number.NaN) / 1_000;
    const earliest = maxAgeSeconds === null ? null : nowSeconds - maxAgeSeconds;
    const from = earliest === null ? '' : `, at least ${at(earliest)}`;
    const isInTime = seconds >= (earliest ?? Number.NEGATIVE_INFINITY) && seconds <= latest;
    const expected = `an RFC 3339 time of at most ${at(latest)}${from}`;
    return { isRight: isInTime, finding: { claim, expected, found: shown(text) } };
  };
  const flag = (claim: string, isRight: boolean) => {
    return { isRight, finding: { claim, expected: 'true', found: String(isRight) } };
  };
  const members = [
    flag(`${ofKyc}.verified`, kyc.verified),
    time(`${ofKyc}.verified_at`, kyc.verified_at, issuer.kycMaxAgeSeconds),
    flag(`${ofSanctions}.clean`, sanctions.clean),
    time(`${ofSanctions}.screened_at`, sanctions.screened_at, issuer.sanctionsMaxAgeSeconds),
  ];
  const all = { claim: 'attestations', expected: 'verified, clean, in time', found: 'all are' };
  return members.find(({ isRight }) => !isRight)?.finding ?? all;
}

function lifetime({ exp, iat }: SessionClaims): string {
  return exp < iat ? `iat - ${String(iat - exp)}` : `iat + ${String(exp - iat)}`;
}

/** Both forms, because engineers compare either. A date has no text beyond the year 275760. */
function at(seconds: number): string {
  const whole = Math.floor(seconds);
  const date = new Date(whole * 1_000);
  return Number.isNaN(date.getTime()) ? String(whole) : `${String(whole)} (${date.toISOString()})`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > SHOWN_MAX_CHARACTERS ? `${text.slice(0, SHOWN_MAX_CHARACTERS)}…` : text;
}
