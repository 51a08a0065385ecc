// What steps 1 to 3 of a session token's verification find (spec, "Session JWT", "Verification order"): the parts of the
// token, its issuer, the key, and whether the signature verifies. session-token.ts judges it.
import { compactVerify, type CryptoKey } from 'jose';
import type { TokenIssuer } from '../../src/ports/partner-directory';
import type { KeySets } from './key-set';
import { importNobodysKey, NOBODYS_TOKEN } from './nobody';
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
  readonly key: CryptoKey | undefined;
  readonly isVerified: boolean;
}

type Issuers = ReadonlyMap<string, TokenIssuer>;

/** One signature is verified whatever is missing, so that no refusal is told from another by its time. */
export function createProver(keySets: KeySets) {
  const nobodysKey = importNobodysKey();
  return async (presented: PresentedToken, issuers: Issuers): Promise<Proof> => {
    const { token = '' } = presented;
    const unverified = readToken(token);
    const issuer = unverified && issuers.get(unverified.claims.iss);
    const key = issuer && (await keySets.findKey(issuer, unverified.kid));
    const isVerified = await verifies(
      unverified === undefined ? NOBODYS_TOKEN : token,
      key ?? (await nobodysKey),
    );
    return { presented, unverified, issuer, key, isVerified };
  };
}

async function verifies(token: string, key: CryptoKey): Promise<boolean> {
  return compactVerify(token, key, { algorithms: ['RS256'] }).then(
    () => true,
    () => false,
  );
}
