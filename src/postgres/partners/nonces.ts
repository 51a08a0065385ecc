// The statement's part that judges signed requests once more and records their nonces (decision 12), those of all callers who wait
// for it (decision 121). Every statement that records a nonce has it.
import type { NonceClaim, ReplayGuard, SignedCaller } from '../../ports/replay-guard';
import { readRows, type Queryable } from '../database';
import { batchedRows, createBatching, listsOf } from '../batching';

const CALLER = { key_id: 'text', partner_id: 'text', address: 'text', nonce: 'text' };

/**
 * Of the rows of `asked`, in the environment $1, `claimed` has those whose nonce is recorded, and `judged` all of them: not valid
 * where the key is revoked or unknown here, or the address not the partner's any more. A nonce that was seen stays as it was: the
 * primary key decides between equal requests of several statements, and of those of one the first whose credentials hold is taken.
 * Nonces are recorded in their own order, so that two processes which are asked the same never wait for each other in a ring.
 * @param further columns of `asked` behind those of the caller, with their types; their lists follow {@link nonceColumns}
 */
export const claimNonces = (further: Readonly<Record<string, string>> = {}): string => `
  asked as materialized (
    select * from ${batchedRows(2, { ...CALLER, ...further })}
  ),
  judged as materialized (
    select asked.place, asked.partner_id, decode(asked.nonce, 'hex') as nonce,
           coalesce((
             select true from signing_keys k
              where k.key_id = asked.key_id and k.partner_id = asked.partner_id and k.environment = $1
                and k.revoked_at is null and (k.revokes_at is null or k.revokes_at > service_now())
                and exists (select from partner_addresses a
                             where a.partner_id = k.partner_id and a.network >>= asked.address::inet)
           ), false) as is_valid
      from asked
  ),
  firsts as materialized (
    select distinct on (partner_id, nonce) partner_id, nonce, place
      from judged where is_valid order by partner_id, nonce, place
  ),
  nonce as (
    insert into request_nonces (partner_id, nonce, seen_at)
    select partner_id, nonce, service_now() from firsts order by partner_id, nonce
        on conflict (partner_id, nonce) do nothing
    returning partner_id, nonce
  ),
  claimed as materialized (
    select place, partner_id from firsts join nonce using (partner_id, nonce)
  )`;

/** What became of each nonce, as a column of the statement that has {@link claimNonces} and joins `judged` with `claimed`. */
export const NONCE_CLAIM = `
  case when claimed.place is not null then 'claimed'
       when judged.is_valid then 'seen'
       else 'withdrawn' end as nonce_claim`;

/** The lists of the caller's columns: $2 to $5. */
export function nonceColumns(callers: readonly SignedCaller[]) {
  return listsOf(callers, 'keyId', 'partnerId', 'address', 'nonce');
}

export interface NonceClaimRow {
  readonly nonce_claim: NonceClaim;
}

const CLAIM = `
  with ${claimNonces()}
  select ${NONCE_CLAIM} from judged left join claimed using (place) order by place`;

/** Port replay-guard over Postgres: the nonces of requests that read and write nothing else. */
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
