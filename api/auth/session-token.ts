// Verifies session tokens with the eleven checks of protocol 4.7, in the order of the two lists in
// src/signing/token-checks.ts, by which rejections are explained too.
import { hash, KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import { NO_INTENT_ID, parseIntentId } from '../../src/domain/ids';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import type { Clock } from '../../src/ports/clock';
import type { TokenState, TokenUse } from '../../src/domain/intents/transition';
import type { Closed, TokenIssuer, SessionTokenStore } from '../../src/ports/partners';
import {
  EVIDENCE_CHECKS,
  PROOF_CHECKS,
  type TokenPurpose,
  type TokenProof,
} from '../../src/signing/token-checks';
import { isMalformed, readToken, type UnverifiedToken } from '../../src/signing/token-claims';
import type { Directory, KnownPartners } from './directory';
import type { KeySets } from './key-set';
import { DUMMY_JTI_HASH, DUMMY_PARTNER, DUMMY_KEY, DUMMY_TOKEN } from './dummy-credentials';
import { rejectToken, type KindRejection, type TokenRejection } from './rejections';
import { TOKENS_CACHED_MAX } from '../../src/domain/limits';

export interface VerifiedSession {
  /** The intent id in the token's claim, which may be malformed or unknown. */
  readonly boundTo: string;
  /** Undefined when no such intent exists. */
  readonly intent: PaymentIntent | undefined;
  readonly use: TokenUse;
  readonly state: TokenState;
  /** Why no payment of it may begin; null where it may. */
  readonly closed: Closed | null;
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
    const { partnerId } = issuer;
    const use = { partnerId, jtiHash: hash('sha256', claims.jti), expiresAtMs: claims.exp * 1_000 };
    const boundTo = claims['service:intent_id'];
    const intentId = parseIntentId(boundTo) ?? NO_INTENT_ID;
    const found = await tokens.readToken(intentId, partnerId, use.jtiHash);
    const { intent, token: state, directoryVersion, closed } = found;
    const nowSeconds = clock.now().getTime() / 1_000;
    const evidence = { claims, issuer, intent, state, purpose, nowSeconds };
    const failed = EVIDENCE_CHECKS.find(({ holds }) => !holds(evidence));
    const session = { boundTo, intent, use, state, closed, issuer };
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

// Steps 1 to 3 of session token verification (protocol 4.7): finds the parts of the token, its
// issuer and its key, and verifies the signature.

/** With the issuer's whole record, which the request needs once the token is accepted. */
export interface Proof extends TokenProof {
  readonly issuer: TokenIssuer | undefined;
}

type Issuers = ReadonlyMap<string, TokenIssuer>;

/** Facts about a token's text that never change: its parts, and the key that verifies it. */
interface Cached {
  readonly parts: UnverifiedToken;
  readonly key: KeyObject;
}

export function createProver(keySets: Pick<KeySets, 'findKey'>) {
  const cached = new LRUCache<string, Cached>({ max: TOKENS_CACHED_MAX });
  const isKnown = (token: string, key: KeyObject) => cached.get(token)?.key === key;
  const isSigned = async (token: string, key: KeyObject) =>
    isKnown(token, key) || (await verifies(token, key));
  return {
    /** Always verifies one signature, so that the time of a rejection does not tell its cause. */
    async prove(presented: string | undefined, issuers: Issuers): Promise<Proof> {
      const token = presented ?? '';
      const read = cached.get(token)?.parts ?? readToken(token);
      if (isMalformed(read)) {
        const isVerified = await verifies(DUMMY_TOKEN, DUMMY_KEY);
        return { token: presented, read, issuer: undefined, key: undefined, isVerified };
      }
      const issuer = issuers.get(read.claims.iss);
      const key = issuer && (await keySets.findKey(issuer, read.kid));
      // Without a key the dummy one does the work of a verification, and never verifies.
      const isVerified = await isSigned(token, key instanceof KeyObject ? key : DUMMY_KEY);
      return { token: presented, read, issuer, key, isVerified };
    },
    /**
     * Caches an accepted token with the key that verified its signature, because the checkout sends
     * the same token many times while a payer waits. Issuer, key set and all later steps are
     * checked every time. Rejected tokens are not cached, so they cannot fill the memory.
     */
    cache({ token, read, key, isVerified }: Proof): void {
      if (token === undefined || isMalformed(read) || !(key instanceof KeyObject)) return;
      if (isVerified && !isKnown(token, key)) cached.set(token, { parts: read, key });
    },
  };
}

/** Verifies RS256 over the first two segments as sent. token-claims.ts checks header and claims. */
async function verifies(token: string, key: KeyObject): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['RS256'] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
