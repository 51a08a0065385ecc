// The partners: their signing keys, registered addresses and token issuers, read as a whole
// (decision 112); their limits, and their logos.
import type { IntentId, PartnerId } from '../domain/ids';

export interface SigningKey {
  readonly keyId: string;
  readonly partnerId: PartnerId;
  /** Unseals the secret, the string whose UTF-8 bytes key the HMAC. Never log it. */
  readonly openSecret: () => string;
  /** CIDR blocks the partner's requests may come from. */
  readonly allowedNetworks: readonly string[];
  /** Revoked by an operator, or marked so after `revokesAt` when the next key was issued. */
  readonly isRevoked: boolean;
  /** From this instant the key authenticates no more; null if no rotation has begun. */
  readonly revokesAt: Date | null;
  /** Whether the intents that the partner may create a second have a limit (decision 139). */
  readonly hasSecondLimit: boolean;
}

export interface TokenIssuer {
  readonly partnerId: PartnerId;
  /** The registered key-set address: the only one ever fetched (decision 8). */
  readonly jwksUrl: string;
  /** Schemes of the partner's apps to which the checkout may return (decision 28). */
  readonly returnSchemes: readonly string[];
  /** How old an attestation may be; null is any age (decision 9). */
  readonly kycMaxAgeSeconds: number | null;
  readonly sanctionsMaxAgeSeconds: number | null;
  /** Whether the cents that may be authorized a day have a limit (decision 139). */
  readonly hasDayLimit: boolean;
  /** The name that payers see; null shows none (decision 144). */
  readonly displayName: string | null;
  /** Names the logo, and reveals nothing about it; null without one. */
  readonly logoId: string | null;
}

export interface DirectorySnapshot {
  /** Changes with every change of the directory. */
  readonly version: number;
  /** By key id; those of this environment, revoked keys included. */
  readonly keys: ReadonlyMap<string, SigningKey>;
  /** By the exact `iss` that selects the partner (decision 8); those of this environment. */
  readonly issuers: ReadonlyMap<string, TokenIssuer>;
}

export interface PartnerDirectory {
  /** @throws DomainError `unavailable` */
  readVersion(): Promise<number>;
  /** Sees every commit before the call. @throws DomainError `unavailable` */
  read(): Promise<DirectorySnapshot>;
}

/** The statements that create and authorize enforce the limits (decision 139). */
export interface PartnerLimits {
  /**
   * Seconds until the next day begins, by the clock of Postgres in UTC, if the limit of the
   * intent's partner leaves too little of today for its amount; otherwise undefined, also where
   * the intent is not `created` any more.
   */
  untilDayAllows(intentId: IntentId): Promise<number | undefined>;
}

/** The logos that the checkout shows (decision 144). */
export interface PartnerLogos {
  /**
   * The PNG; undefined if no partner of this environment has a logo with that id.
   * @param logoId a UUID
   * @throws DomainError `unavailable`
   */
  read(logoId: string): Promise<Buffer | undefined>;
}
