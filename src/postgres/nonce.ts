// The statement's part that judges a signed request once more and records its nonce (decision 12). Every statement
// that records a nonce begins with it, with the same first five parameters; that of many callers has its own, of the same texts.
import type { NonceClaim, SignedCaller } from '../ports/replay-guard';

/** SQL expressions of what a signed request brought. */
interface CallerExpressions {
  readonly keyId: string;
  readonly partnerId: string;
  readonly environment: string;
  readonly address: string;
}

/** The key, unless it is revoked or unknown here, or the address is not the partner's any more: one row or none. */
export function validKey({ keyId, partnerId, environment, address }: CallerExpressions): string {
  return `
    select k.partner_id
      from signing_keys k
     where k.key_id = ${keyId}
       and k.partner_id = ${partnerId}
       and k.environment = ${environment}
       and k.revoked_at is null
       and (k.revokes_at is null or k.revokes_at > service_now())
       and exists (
         select from partner_addresses a
          where a.partner_id = k.partner_id and a.network >>= ${address}::inet
       )`;
}

/** A nonce that was seen stays as it was: the primary key decides between equal requests. */
export const UNLESS_SEEN = 'on conflict (partner_id, nonce) do nothing';

/**
 * The same for many callers: of the rows of `asked` (key_id, partner_id, address, nonce, place), in the environment $1, `claimed`
 * has those whose nonce is recorded, and `judged` all of them. Of equal requests the first whose credentials hold records the nonce.
 * Nonces are recorded in their own order, so that two processes which are asked the same never wait for each other in a ring.
 */
export const CLAIM_NONCES = `
  judged as materialized (
    select asked.place, asked.partner_id, decode(asked.nonce, 'hex') as nonce,
           coalesce((select true from (${validKey({
             keyId: 'asked.key_id',
             partnerId: 'asked.partner_id',
             environment: '$1',
             address: 'asked.address',
           })}) as key), false) as is_valid
      from asked
  ),
  firsts as materialized (
    select distinct on (partner_id, nonce) partner_id, nonce, place
      from judged where is_valid order by partner_id, nonce, place
  ),
  nonce as (
    insert into request_nonces (partner_id, nonce, seen_at)
    select partner_id, nonce, service_now() from firsts order by partner_id, nonce
        ${UNLESS_SEEN}
    returning partner_id, nonce
  ),
  claimed as materialized (
    select place, partner_id from firsts join nonce using (partner_id, nonce)
  )`;

/** What became of each nonce, as a column of the statement that has {@link CLAIM_NONCES}. */
export const NONCE_CLAIM_OF_EACH = `
  case when claimed.place is not null then 'claimed'
       when judged.is_valid then 'seen'
       else 'withdrawn' end as nonce_claim`;

/** The values of `asked`, column by column. */
export function claimNoncesValues(
  callers: readonly SignedCaller[],
): readonly (readonly string[])[] {
  return [
    callers.map(({ keyId }) => keyId),
    callers.map(({ partnerId }) => partnerId),
    callers.map(({ address }) => address),
    callers.map(({ nonce }) => nonce),
  ];
}

/** `caller` is empty when the credentials hold no more; `nonce` is empty also when the nonce was seen. */
export const CLAIM_NONCE = `
  caller as (${validKey({ keyId: '$1', partnerId: '$2', environment: '$3', address: '$4' })}
  ),
  nonce as (
    insert into request_nonces (partner_id, nonce, seen_at)
    select partner_id, decode($5, 'hex'), service_now() from caller
        ${UNLESS_SEEN}
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
