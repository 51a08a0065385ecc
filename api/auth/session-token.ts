// Verifies session tokens with the eleven checks of protocol 4.7, in the order of the two lists in
// src/signing/token-checks.ts, by which rejections are explained too.
import { hash } from 'node:crypto';
import { NO_INTENT_ID, parseIntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { Clock } from '../../src/ports/clock';
import type { TokenState, TokenUse } from '../../src/domain/intents/transition';
import type { TokenIssuer } from '../../src/ports/partner-directory';
import type { SessionTokenStore } from '../../src/ports/session-tokens';
import { EVIDENCE_CHECKS, PROOF_CHECKS, type TokenPurpose } from '../../src/signing/token-checks';
import { isMalformed, type SessionClaims } from '../../src/signing/token-claims';
import type { Directory, KnownPartners } from './directory';
import type { KeySets } from './key-set';
import { DUMMY_JTI_HASH, DUMMY_PARTNER } from './dummy-credentials';
import { rejectToken, type KindRejection, type TokenRejection } from './rejections';
import { createProver, type Proof } from './token-proof';

export interface VerifiedSession {
  /** The intent id in the token's claim, which may be malformed or unknown. */
  readonly boundTo: string;
  /** Undefined when no such intent exists. */
  readonly intent: PaymentIntent | undefined;
  readonly use: TokenUse;
  readonly state: TokenState;
  /** The partner as registered. */
  readonly issuer: TokenIssuer;
}

interface SessionTokenOptions {
  readonly directory: Directory;
  readonly keySets: KeySets;
  readonly tokens: SessionTokenStore;
  readonly clock: Clock;
}

interface PresentedToken {
  /** Undefined when the header is missing, repeated or not a bearer token. */
  readonly token: string | undefined;
  /** Set if the request is rejected for the kind of its credentials (decision 7). */
  readonly wrongKind: KindRejection | undefined;
}

interface Verdict {
  readonly proof: Proof;
  readonly reason: TokenRejection | undefined;
  readonly session: VerifiedSession | undefined;
  /** The version of the partner directory when the token was looked up. */
  readonly directoryVersion: number;
}

/** @returns a function that throws DomainError `authentication_failed` when any check fails. */
export function createSessionTokenVerifier(options: SessionTokenOptions) {
  const { directory, keySets, tokens, clock } = options;
  const prover = createProver(keySets);
  // A token that is rejected before the look-up waits for a dummy read, batched with the real ones.
  const readDummyToken = () => tokens.readToken(NO_INTENT_ID, DUMMY_PARTNER, DUMMY_JTI_HASH);

  const check = async (
    { token, wrongKind }: PresentedToken,
    purpose: TokenPurpose,
    known: KnownPartners,
  ): Promise<Verdict> => {
    const proof = await prover.prove(token, known.issuers);
    const unproven = wrongKind ?? PROOF_CHECKS.find(({ holds }) => !holds(proof))?.reason;
    const { read, issuer } = proof;
    if (unproven !== undefined || isMalformed(read) || issuer === undefined) {
      const { directoryVersion } = await readDummyToken();
      return { proof, reason: unproven, session: undefined, directoryVersion };
    }
    const { claims } = read;
    const use = tokenUse(claims, issuer);
    const boundTo = claims['service:intent_id'];
    const intentId = parseIntentId(boundTo) ?? NO_INTENT_ID;
    const found = await tokens.readToken(intentId, use.partnerId, use.jtiHash);
    const { intent, token: state, directoryVersion } = found;
    const nowSeconds = clock.now().getTime() / 1_000;
    const evidence = { claims, issuer, intent, state, purpose, nowSeconds };
    const failed = EVIDENCE_CHECKS.find(({ holds }) => !holds(evidence));
    const session = { boundTo, intent, use, state, issuer };
    return { proof, reason: failed?.reason, session, directoryVersion };
  };

  return async (presented: PresentedToken, purpose: TokenPurpose): Promise<VerifiedSession> => {
    const cached = await directory.cached();
    const first = await check(presented, purpose, cached);
    // A change that payctl has made must apply as soon as payctl returns, to accepted and rejected
    // tokens alike.
    const isCurrent = first.directoryVersion === cached.version;
    const { proof, reason, session } = isCurrent
      ? first
      : await check(presented, purpose, await directory.refreshed());
    if (reason !== undefined || session === undefined) {
      const isNotFetched = reason === 'key_set_not_fetched' && proof.issuer !== undefined;
      const keySetFailure = isNotFetched ? keySets.failureOf(proof.issuer) : undefined;
      throw rejectToken(reason ?? 'token_malformed', { ...claimed(proof), keySetFailure });
    }
    prover.cache(proof);
    return session;
  };
}

/** Ids for the log: the registered partner, and the intent in the token, verified or not. */
function claimed({ read, issuer }: Proof) {
  return isMalformed(read)
    ? { member: read.member }
    : {
        partnerId: issuer?.partnerId,
        intentId: parseIntentId(read.claims['service:intent_id']),
      };
}

function tokenUse(claims: SessionClaims, issuer: TokenIssuer): TokenUse {
  return {
    partnerId: issuer.partnerId,
    jtiHash: hash('sha256', claims.jti),
    expiresAtMs: claims.exp * 1_000,
  };
}
