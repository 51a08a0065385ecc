// Nonces of signed requests, each used once (protocol 3.4; decision 12).
import type { PartnerId } from '../domain/ids';

/** A request whose signature held. Its nonce is not recorded yet: whoever handles it records it, exactly once. */
export interface SignedCaller {
  readonly partnerId: PartnerId;
  readonly keyId: string;
  /** The source address, IPv4-mapped forms already reduced to IPv4. */
  readonly address: string;
  /** 64 lowercase hex characters. */
  readonly nonce: string;
}

/** `withdrawn`: the key is revoked, or the address is not the partner's, whatever was remembered (decision 12). */
export type NonceClaim = 'claimed' | 'seen' | 'withdrawn';

export interface ReplayGuard {
  /**
   * Records the nonce if key, environment and address still hold and the nonce is new, in one atomic insert.
   * Of any number of equal requests exactly one is told `claimed`; every other answer means refuse.
   */
  claimNonce(caller: SignedCaller): Promise<NonceClaim>;
}
