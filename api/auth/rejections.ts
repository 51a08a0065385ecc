// Every reason for which credentials are rejected. All of them are answered with the same 401; only
// the log and a metric get the reason (protocol 8.3).
import { DomainError, type About } from '../../src/domain/errors';
import type { NonceClaim, SignedCaller } from '../../src/ports/partners';
import type { TokenReason } from '../../src/signing/explain-token';

/** An operation takes one kind of credentials (decision 7): these have one cause each. */
export type KindRejection =
  'no_credentials' | 'wrong_kind_of_credentials' | 'both_kinds_of_credentials';

export type SignatureRejection =
  | KindRejection
  | 'header_missing_or_repeated'
  | 'source_address_not_registered'
  | 'key_unknown'
  | 'key_revoked'
  | 'key_withdrawn'
  | 'address_withdrawn'
  | 'secret_not_opened'
  | 'timestamp_not_within_5_minutes'
  | 'nonce_malformed'
  | 'signature_wrong'
  | 'nonce_seen';

/** Ids for the log, where known. */
interface SignatureClaim {
  readonly keyId: string;
  readonly partnerId?: string | undefined;
}

interface TokenClaim {
  /** The malformed member of the token, from a fixed list of names. */
  readonly member?: string | undefined;
  readonly partnerId?: string | undefined;
  readonly intentId?: string | undefined;
  readonly keySetFailure?: string | undefined;
}

export function rejectSignature(reason: SignatureRejection, claim: SignatureClaim): DomainError {
  return new DomainError('authentication_failed', { reason, about: aboutSignature(claim) });
}

export type TokenRejection = KindRejection | TokenReason;

export function rejectToken(reason: TokenRejection, claim: TokenClaim): DomainError {
  const { member } = claim;
  return new DomainError('authentication_failed', { reason, member, about: aboutToken(claim) });
}

/** @param why the statement that records nonces did not record this one (decision 12) */
export function rejectNonce(
  why: Exclude<NonceClaim, 'claimed'>,
  caller: SignedCaller,
): DomainError {
  return rejectSignature(why === 'seen' ? 'nonce_seen' : why, caller);
}

/**
 * A caller may send its secret as key id by mistake, so unknown ids are logged only in our format.
 */
const KEY_ID = /^[a-z0-9-]{1,63}_(sandbox|prod)_\d{4}q[1-4]$/;

export function aboutSignature({ keyId, partnerId }: SignatureClaim): About {
  const isLoggable = partnerId !== undefined || KEY_ID.test(keyId);
  return {
    credentials: 'signed_request',
    key_id: isLoggable ? keyId : undefined,
    partner_id: partnerId,
  };
}

export function aboutToken({ partnerId, intentId, keySetFailure }: TokenClaim): About {
  return {
    credentials: 'session_token',
    partner_id: partnerId,
    intent_id: intentId,
    key_set_failure: keySetFailure,
  };
}
