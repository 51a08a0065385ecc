// Who the partners are: signing keys, registered addresses and token issuers, read as a whole (decision 112).
import type { PartnerId } from '../domain/ids';

export interface SigningKey {
  readonly keyId: string;
  readonly partnerId: PartnerId;
  /** Opens the seal: the string whose UTF-8 bytes key the HMAC (architecture, section 7). Never log it. */
  readonly openSecret: () => string;
  /** CIDR blocks the partner's requests may come from. */
  readonly allowedNetworks: readonly string[];
  /** Revoked by operations, or found to be over when the next key was issued. */
  readonly isRevoked: boolean;
  /** From this instant on the key no longer authenticates; null while no rotation has begun. */
  readonly revokesAt: Date | null;
}

export interface TokenIssuer {
  readonly partnerId: PartnerId;
  /** The registered key-set address: the only one ever fetched (decision 8). */
  readonly jwksUrl: string;
  /** Schemes of the partner's apps, to which the checkout may return (decision 28). */
  readonly returnSchemes: readonly string[];
  /** How old an attestation may be; null is any age (decision 9). */
  readonly kycMaxAgeSeconds: number | null;
  readonly sanctionsMaxAgeSeconds: number | null;
}

export interface DirectorySnapshot {
  /** Another number than before means that something has changed. */
  readonly version: number;
  /** By key id, those of this environment, revoked ones too. */
  readonly keys: ReadonlyMap<string, SigningKey>;
  /** By the exact `iss` that selects the partner (decision 8), those of this environment. */
  readonly issuers: ReadonlyMap<string, TokenIssuer>;
}

export interface PartnerDirectory {
  /** @throws DomainError `unavailable` */
  readVersion(): Promise<number>;
  /** Everything that was committed when the call began. @throws DomainError `unavailable` */
  read(): Promise<DirectorySnapshot>;
}
