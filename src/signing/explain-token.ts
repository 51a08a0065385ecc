// Explains a session token by the very checks that the API verifies it with (protocol 4.7), because
// every 401 is the same (protocol 8.3).
import { KeyObject, verify } from 'node:crypto';
import type { PublishedKeys } from './published-keys';
import {
  EVIDENCE_CHECKS,
  PROOF_CHECKS,
  type EvidenceReason,
  type ProofReason,
  type TokenEvidence,
  type TokenOwner,
  type TokenProof,
} from './token-checks';
import { isMalformed, readToken } from './token-claims';
import { EVIDENCE_FINDINGS, PROOF_FINDINGS, type Finding } from './token-findings';

export type TokenReason = ProofReason | EvidenceReason | 'bound_to_another_intent';

export interface ExplainedTokenCheck extends Finding {
  /** The step of the protocol, 1 to 11; null for attestations and path, which come after. */
  readonly step: number | null;
  /** The name of a failure in the operator's log. */
  readonly reason: TokenReason;
  /** `unknown`: what it needs is not known here. `not_reached`: an earlier check failed. */
  readonly outcome: 'passed' | 'failed' | 'unknown' | 'not_reached';
}

export interface TokenExplanation {
  /** In the order of the service. */
  readonly checks: readonly ExplainedTokenCheck[];
  /** The check for which the service rejects the token; null if none is known to fail. */
  readonly failed: ExplainedTokenCheck | null;
}

interface TokenFacts {
  readonly proof: TokenProof;
  /** Undefined unless the token's issuer is known. */
  readonly evidence: TokenEvidence | undefined;
  /** The intent that the path of the request names; undefined: that of the token. */
  readonly pathIntentId?: string | undefined;
  /** Checks whose facts are not known. */
  readonly unknown?: readonly TokenReason[];
}

/**
 * Proves a token as the API does: finds its issuer and key, and verifies the signature.
 * @param keysOf the usable keys of the issuer's key set; undefined if it could not be fetched
 */
export async function proveToken<Owner extends TokenOwner>(
  token: string,
  issuers: ReadonlyMap<string, Owner>,
  keysOf: (owner: Owner) => Promise<PublishedKeys | undefined>,
): Promise<TokenProof & { readonly issuer: Owner | undefined }> {
  const read = readToken(token);
  const presented = /^\S+$/.test(token) ? token : undefined;
  const unproven = { token: presented, read, issuer: undefined, key: undefined, isVerified: false };
  if (isMalformed(read)) return unproven;
  const issuer = issuers.get(read.claims.iss);
  if (issuer === undefined) return unproven;
  const keys = await keysOf(issuer);
  const key = keys === undefined ? 'key_set_not_fetched' : (keys.get(read.kid) ?? 'kid_unknown');
  const isVerified = key instanceof KeyObject && isSignedBy(token, key);
  return { token: presented, read, issuer, key, isVerified };
}

/** RS256 is RSASSA-PKCS1-v1_5 with SHA-256, over the first two segments as sent. */
function isSignedBy(token: string, key: KeyObject): boolean {
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  return verify('sha256', Buffer.from(token.slice(0, end)), key, signature);
}

/** Runs every check in order. After the first failure none is reached, as in the API. */
export function explainChecks(facts: TokenFacts): TokenExplanation {
  const { proof, evidence, unknown = [] } = facts;
  const unknowns = new Set(unknown);
  const isStatus = evidence?.purpose === 'status';
  // Each purpose has its own check of the jti.
  const skipped: TokenReason = isStatus ? 'jti_used' : 'jti_not_used';
  const rows = [
    ...PROOF_CHECKS.map(({ step, reason, holds }) => {
      return { step, reason, holds: holds(proof), finding: PROOF_FINDINGS[reason](proof) };
    }),
    ...EVIDENCE_CHECKS.map(({ step, reason, holds }) => {
      const finding = evidence && EVIDENCE_FINDINGS[reason](evidence);
      return { step, reason, holds: evidence === undefined || holds(evidence), finding };
    }),
    boundRow(facts),
  ].filter(({ reason }) => reason !== skipped);
  const failedAt = rows.findIndex(({ reason, holds }) => !holds && !unknowns.has(reason));
  const checks = rows.map(({ step, reason, finding = NOTHING }, index): ExplainedTokenCheck => {
    const isReached = failedAt === -1 || index < failedAt;
    const passed = unknowns.has(reason) ? 'unknown' : 'passed';
    const outcome = index === failedAt ? 'failed' : isReached ? passed : 'not_reached';
    return { step, reason, outcome, ...finding };
  });
  return { checks, failed: checks[failedAt] ?? null };
}

const NOTHING: Finding = { claim: '', expected: '', found: '' };

/** After all other checks: the path names the intent of the token. */
function boundRow({ proof: { read }, pathIntentId }: TokenFacts) {
  const claimed = isMalformed(read) ? undefined : read.claims['service:intent_id'];
  const finding = {
    claim: 'service:intent_id',
    expected: `the intent in the path${pathIntentId === undefined ? '' : `, ${pathIntentId}`}`,
    found: claimed ?? '',
  };
  const holds = pathIntentId === undefined || claimed === pathIntentId;
  return { step: null, reason: 'bound_to_another_intent', holds, finding } as const;
}
