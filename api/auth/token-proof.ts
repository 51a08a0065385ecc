// What steps 1 to 3 of a session token's verification find (protocol 4.7): the parts of the
// token, its issuer, the key, and whether the signature verifies. session-token.ts judges it.
import type { KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import { TOKENS_CACHED_MAX } from '../../src/domain/limits';
import type { TokenIssuer } from '../../src/ports/partner-directory';
import type { KeySets } from './key-set';
import { DUMMY_KEY, DUMMY_TOKEN } from './dummy-credentials';
import { readToken, type UnverifiedToken } from './token-claims';

export interface PresentedToken {
  /** Undefined when the header is missing, repeated or not a bearer token. */
  readonly token: string | undefined;
  /** Whether there are signing headers too (decision 7). */
  readonly isSignedToo: boolean;
}

/** Each is missing when an earlier one is. */
export interface Proof {
  readonly presented: PresentedToken;
  readonly unverified: UnverifiedToken | undefined;
  readonly issuer: TokenIssuer | undefined;
  readonly key: KeyObject | undefined;
  readonly isVerified: boolean;
}

type Issuers = ReadonlyMap<string, TokenIssuer>;

/** What is true of a token's text for ever: its parts, and the key that its signature verifies under. */
interface Cached {
  readonly parts: UnverifiedToken;
  readonly key: KeyObject;
}

export interface Prover {
  /** One signature is verified whatever is missing, so that no rejection is told from another by its time. */
  prove(presented: PresentedToken, issuers: Issuers): Promise<Proof>;
  /**
   * Keeps a token that was taken, with the key that its signature verified under: it is read again and again while a payer waits. The
   * issuer, the key set and every later step are judged each time. One that is refused is not kept: it costs as much each time, and no
   * memory.
   */
  remember(proof: Proof): void;
}

export function createProver(keySets: KeySets): Prover {
  const remembered = new LRUCache<string, Cached>({ max: TOKENS_CACHED_MAX });
  const isKnown = (token: string, key: KeyObject) => remembered.get(token)?.key === key;
  const isSigned = async (token: string, key: KeyObject) =>
    isKnown(token, key) || (await verifies(token, key));
  return {
    async prove(presented, issuers) {
      const { token = '' } = presented;
      const unverified = remembered.get(token)?.parts ?? readToken(token);
      const issuer = unverified && issuers.get(unverified.claims.iss);
      const key = issuer && (await keySets.findKey(issuer, unverified.kid));
      const isVerified =
        unverified === undefined || key === undefined
          ? await isSignedByDummyKey(token, unverified)
          : await isSigned(token, key);
      return { presented, unverified, issuer, key, isVerified };
    },
    remember({ presented: { token }, unverified, key, isVerified }) {
      if (token === undefined || unverified === undefined || key === undefined) return;
      if (isVerified && !isKnown(token, key)) remembered.set(token, { parts: unverified, key });
    },
  };
}

/** Never true: the work of a verification, where there is no key to verify with. */
function isSignedByDummyKey(
  token: string,
  unverified: UnverifiedToken | undefined,
): Promise<boolean> {
  return verifies(unverified === undefined ? DUMMY_TOKEN : token, DUMMY_KEY);
}

/** RS256 alone, over the first two segments as sent. What this service asks of header and claims is read by token-claims.ts. */
async function verifies(token: string, key: KeyObject): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['RS256'] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
