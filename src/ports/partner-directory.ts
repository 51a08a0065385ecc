// Who the partners are: signing keys, key-set addresses, and what they may do.
import type { PartnerId } from '../domain/ids';

export interface SigningKey {
  readonly keyId: string;
  readonly partnerId: PartnerId;
  /** The string whose UTF-8 bytes key the HMAC (architecture, section 7). Opened from its seal; never log it. */
  readonly secret: string;
  /** CIDR blocks the partner's requests may come from. */
  readonly allowedNetworks: readonly string[];
  /** From this instant on the key no longer authenticates; null while no rotation has begun. */
  readonly revokesAt: Date | null;
}

export interface TokenIssuer {
  readonly partnerId: PartnerId;
  /** The registered key-set address: the only one ever fetched (decision 8). */
  readonly jwksUrl: string;
}

export interface PartnerDirectory {
  /**
   * The key if it exists in this environment and is not revoked. The answer may be some seconds old: the statement
   * that records the nonce judges status and address again (decision 12).
   */
  findSigningKey(keyId: string): Promise<SigningKey | undefined>;
  /** The partner of this environment whose registered key-set URL, or its origin form, equals `iss` (decision 8). */
  findTokenIssuer(issuer: string): Promise<TokenIssuer | undefined>;
}
