// Signed reads: nonces are recorded and the intents read by one statement and one commit (decision 12), for all callers who wait
// for one (decision 121), since another costs both sides as much again.
import type { IntentId } from '../domain/ids';
import type { SignedRead } from '../ports/intent-store';
import type { NonceClaim, SignedCaller } from '../ports/replay-guard';
import type { Queryable } from './database';
import { createGathering } from './gathering';
import { INTENT_COLUMNS_AS_SEEN, toPaymentIntent, type IntentRow } from './intent-row';
import { UNLESS_SEEN, validKey } from './nonce';

interface Read {
  readonly caller: SignedCaller;
  readonly intentId: IntentId;
}

type ReadRow = { readonly nonce_claim: NonceClaim } & (IntentRow | { readonly intent_id: null });

const CREDENTIALS = {
  keyId: 'asked.key_id',
  partnerId: 'asked.partner_id',
  environment: '$6',
  address: 'asked.address',
};

/**
 * Of equal requests in one statement the first whose credentials hold records the nonce. Nonces are recorded in their own order,
 * so that two processes which are asked the same never wait for each other in a ring. Whoever is refused is told nothing of the
 * intent. Rows are found by their keys one by one, and nobody's own word is in it, as in the look at tokens (session-tokens.ts).
 */
const READ = `
  with judged as materialized (
    select asked.place, asked.partner_id, decode(asked.nonce, 'hex') as nonce, asked.intent_id,
           coalesce((select true from (${validKey(CREDENTIALS)}) as key), false) as is_valid
      from unnest((select $1::text[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::text[]))
           with ordinality as asked (key_id, partner_id, address, nonce, intent_id, place)
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
  claimed as (
    select place from firsts join nonce using (partner_id, nonce)
  )
  select case when claimed.place is not null then 'claimed'
              when judged.is_valid then 'seen'
              else 'withdrawn' end as nonce_claim,
         found.*
    from judged
    left join claimed on claimed.place = judged.place
    left join lateral (
           select ${INTENT_COLUMNS_AS_SEEN} from payment_intents i
            where i.intent_id = judged.intent_id and claimed.place is not null offset 0
         ) as found on true
   order by judged.place`;

export function createSignedReads(
  database: Queryable,
  environment: string,
): (caller: SignedCaller, intentId: IntentId) => Promise<SignedRead> {
  const readTogether = createGathering((reads: readonly Read[]) =>
    readAll(database, environment, reads),
  );
  return async (caller, intentId) => {
    const row = await readTogether({ caller, intentId });
    const intent = row.intent_id === null ? undefined : toPaymentIntent(row);
    return { nonce: row.nonce_claim, intent };
  };
}

async function readAll(
  database: Queryable,
  environment: string,
  reads: readonly Read[],
): Promise<readonly ReadRow[]> {
  const { rows } = await database.query<ReadRow>({
    name: 'find-signed',
    text: READ,
    values: [
      reads.map(({ caller }) => caller.keyId),
      reads.map(({ caller }) => caller.partnerId),
      reads.map(({ caller }) => caller.address),
      reads.map(({ caller }) => caller.nonce),
      reads.map(({ intentId }) => intentId),
      environment,
    ],
  });
  return rows;
}
