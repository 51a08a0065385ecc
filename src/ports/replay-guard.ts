// Nonces of signed requests, each used once (protocol 3.4; decision 12).
import type { PartnerId } from '../domain/ids';

/** A request with a valid signature. Its handler must record the nonce exactly once. */
export interface SignedCaller {
  readonly partnerId: PartnerId;
  readonly keyId: string;
  /** The source address. IPv4-mapped IPv6 is written as IPv4. */
  readonly address: string;
  /** 64 lowercase hex characters. */
  readonly nonce: string;
  /** Whether the intents that the partner may create a second have a limit (decision 139). */
  readonly hasSecondLimit?: boolean;
}

/**
 * `withdrawn`: the key is revoked or the address not registered, although a cache said otherwise
 * (decision 12).
 */
export type NonceClaim = 'claimed' | 'seen' | 'withdrawn';

export interface ReplayGuard {
  /**
   * Records the nonce in one atomic insert if it is new and key, environment and address still
   * hold. Of any number of equal requests exactly one gets `claimed`; reject the request on any
   * other result.
   */
  claimNonce(caller: SignedCaller): Promise<NonceClaim>;
}
