// The part of a statement that checks signed requests once more and records their nonces
// (decision 12), for all callers in the batch (decision 121). Every statement that records a nonce
// includes it.
import type { NonceClaim, ReplayGuard, SignedCaller } from '../../ports/partners';
import { readRows, type Queryable } from '../database';
import { batchedRows, createBatching, listsOf } from '../batching';

/**
 * Whether the key of a caller still holds in the environment $1, whatever a cache says.
 * @param keyId like the others, an expression
 */
const keyHolds = (keyId: string, partnerId: string, also = 'true'): string => `
           coalesce((
             select true from signing_keys k
              where k.key_id = ${keyId} and k.partner_id = ${partnerId}
                and k.environment = $1
                and k.revoked_at is null and (k.revokes_at is null or k.revokes_at > service_now())
                and ${also}
           ), false)`;

/** Whether the address of a caller holds too. */
export const stillHolds = (keyId: string, partnerId: string, address: string): string =>
  keyHolds(
    keyId,
    partnerId,
    `exists (select from partner_addresses a
                             where a.partner_id = k.partner_id
                               and a.network >>= ${address}::inet)`,
  );

const CALLER = { key_id: 'text', partner_id: 'text', address: 'text', nonce: 'text' };

/**
 * `checked` has all rows of `batch`, and whether each is valid in the environment $1: it is not
 * where the key is revoked or unknown here, or the address is not the partner's any more. `claimed`
 * has the rows whose nonce was recorded. A nonce that was seen stays unchanged. The primary key
 * decides between equal requests of several statements; among those of one statement, the first
 * valid one wins. Nonces are recorded in their own order, so that two processes with the same
 * nonces never deadlock. The use of a key is noted at most once an hour, and never waits for
 * another statement, whose commit may wait for a standby.
 * @param extraColumns columns of `batch` after those of the caller, with their types; their lists
 *   follow {@link nonceColumns}
 */
export const claimNonces = (extraColumns: Readonly<Record<string, string>> = {}): string => `
  batch as materialized (
    select * from ${batchedRows(2, { ...CALLER, ...extraColumns })}
  ),
  checked as materialized (
    select batch.ordinal, batch.partner_id, batch.key_id, decode(batch.nonce, 'hex') as nonce,
           ${stillHolds('batch.key_id', 'batch.partner_id', 'batch.address')} as is_valid
      from batch
  ),
  distinct_nonces as materialized (
    select distinct on (partner_id, nonce) partner_id, nonce, ordinal, key_id
      from checked where is_valid order by partner_id, nonce, ordinal
  ),
  recorded as (
    insert into request_nonces (partner_id, nonce, seen_at)
    select partner_id, nonce, service_now() from distinct_nonces order by partner_id, nonce
        on conflict (partner_id, nonce) do nothing
    returning partner_id, nonce
  ),
  claimed as materialized (
    select ordinal, partner_id, key_id
      from distinct_nonces join recorded using (partner_id, nonce)
  ),
  unnoted as (
    select key_id from signing_key_uses
     where key_id in (select key_id from claimed)
       and (used_at is null or used_at <= service_now() - interval '1 hour')
     order by key_id
       for no key update skip locked
  ),
  noted as (
    update signing_key_uses u set used_at = service_now() from unnoted
     where u.key_id = unnoted.key_id
  )`;

/**
 * The result for each nonce, as a column of the statement that includes {@link claimNonces} and
 * joins `checked` with `claimed`.
 */
export const NONCE_CLAIM = `
  case when claimed.ordinal is not null then 'claimed'
       when checked.is_valid then 'seen'
       when ${keyHolds('checked.key_id', 'checked.partner_id')} then 'address_withdrawn'
       else 'key_withdrawn' end as nonce_claim`;

/** The lists of the callers' columns: $2 to $5. */
export function nonceColumns(callers: readonly SignedCaller[]) {
  return listsOf(callers, 'keyId', 'partnerId', 'address', 'nonce');
}

export interface NonceClaimRow {
  readonly nonce_claim: NonceClaim;
}

const CLAIM = `
  with ${claimNonces()}
  select ${NONCE_CLAIM} from checked left join claimed using (ordinal) order by ordinal`;

/** Port `ReplayGuard` over Postgres, for requests whose statement reads and writes nothing else. */
export function createReplayGuard(database: Queryable, environment: string): ReplayGuard {
  const claimTogether = createBatching((callers: readonly SignedCaller[]) =>
    readRows<NonceClaimRow>(database, {
      name: 'claim-nonces',
      text: CLAIM,
      values: [environment, ...nonceColumns(callers)],
    }),
  );
  return { claimNonce: async (caller) => (await claimTogether(caller)).nonce_claim };
}
