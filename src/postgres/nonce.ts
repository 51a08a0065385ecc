// The statement's part that judges a signed request once more and records its nonce (decision 12). Every statement
// that records a nonce begins with it, with the same first five parameters.
import type { NonceClaim, SignedCaller } from '../ports/replay-guard';

/**
 * `caller` is empty when the key is revoked or unknown here, or the address is not the partner's any more; `nonce` is
 * empty also when the nonce was seen. The primary key decides between equal requests.
 */
export const CLAIM_NONCE = `
  caller as (
    select k.partner_id
      from signing_keys k
     where k.key_id = $1
       and k.partner_id = $2
       and k.environment = $3
       and k.revoked_at is null
       and (k.revokes_at is null or k.revokes_at > service_now())
       and exists (
         select from partner_addresses a
          where a.partner_id = k.partner_id and a.network >>= $4::inet
       )
  ),
  nonce as (
    insert into request_nonces (partner_id, nonce, seen_at)
    select partner_id, decode($5, 'hex'), service_now() from caller
        on conflict (partner_id, nonce) do nothing
    returning partner_id
  )`;

/** What became of the nonce, as a column of the statement that begins with {@link CLAIM_NONCE}. */
export const NONCE_CLAIM = `
  case when exists (select from nonce) then 'claimed'
       when exists (select from caller) then 'seen'
       else 'withdrawn' end as nonce_claim`;

export interface NonceClaimRow {
  readonly nonce_claim: NonceClaim;
}

export function claimNonceValues(caller: SignedCaller, environment: string): readonly string[] {
  return [caller.keyId, caller.partnerId, environment, caller.address, caller.nonce];
}
