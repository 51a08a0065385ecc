// Steps 1 to 3 of session token verification (protocol 4.7): finds the parts of the token, its
// issuer and its key, and verifies the signature. session-token.ts decides on the result.
import { KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import { TOKENS_CACHED_MAX } from '../../src/domain/limits';
import type { TokenIssuer } from '../../src/ports/partner-directory';
import type { TokenProof } from '../../src/signing/token-checks';
import { isMalformed, readToken, type UnverifiedToken } from '../../src/signing/token-claims';
import type { KeySets } from './key-set';
import { DUMMY_KEY, DUMMY_TOKEN } from './dummy-credentials';

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

interface Prover {
  /** Always verifies one signature, so that the time of a rejection does not tell its cause. */
  prove(token: string | undefined, issuers: Issuers): Promise<Proof>;
  /**
   * Caches an accepted token with the key that verified its signature, because the checkout sends
   * the same token many times while a payer waits. Issuer, key set and all later steps are checked
   * every time. Rejected tokens are not cached, so they cannot fill the memory.
   */
  cache(proof: Proof): void;
}

export function createProver(keySets: Pick<KeySets, 'findKey'>): Prover {
  const cached = new LRUCache<string, Cached>({ max: TOKENS_CACHED_MAX });
  const isKnown = (token: string, key: KeyObject) => cached.get(token)?.key === key;
  const isSigned = async (token: string, key: KeyObject) =>
    isKnown(token, key) || (await verifies(token, key));
  return {
    async prove(presented, issuers) {
      const token = presented ?? '';
      const read = cached.get(token)?.parts ?? readToken(token);
      if (isMalformed(read)) {
        const isVerified = await isSignedByDummyKey(DUMMY_TOKEN);
        return { token: presented, read, issuer: undefined, key: undefined, isVerified };
      }
      const issuer = issuers.get(read.claims.iss);
      const key = issuer && (await keySets.findKey(issuer, read.kid));
      const isVerified =
        key instanceof KeyObject ? await isSigned(token, key) : await isSignedByDummyKey(token);
      return { token: presented, read, issuer, key, isVerified };
    },
    cache({ token, read, key, isVerified }) {
      if (token === undefined || isMalformed(read) || !(key instanceof KeyObject)) return;
      if (isVerified && !isKnown(token, key)) cached.set(token, { parts: read, key });
    },
  };
}

/** Always false: it does the work of a verification when there is no key to verify with. */
function isSignedByDummyKey(token: string): Promise<boolean> {
  return verifies(token, DUMMY_KEY);
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
