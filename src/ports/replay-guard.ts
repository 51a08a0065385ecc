// Nonces of signed requests, each used once (spec, request signing, step 4; decision 12).
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

export interface ReplayGuard {
  /**
   * Records the nonce if key, environment and address still hold and the nonce is new, in one atomic insert.
   * False means refuse. Of any number of equal requests exactly one gets true.
   */
  claimNonce(caller: SignedCaller): Promise<boolean>;
}
