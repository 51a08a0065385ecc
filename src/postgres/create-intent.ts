// Creates: nonces, idempotency records and intents in one statement and one commit (architecture, section 5, decisions 12 and 14),
// for all callers who wait for one (decision 121).
import { timingSafeEqual } from 'node:crypto';
import type { CreateIntentCommand, CreateIntentOutcome } from '../ports/intent-store';
import type { Queryable } from './database';
import { createGathering } from './gathering';
import { INTENT_COLUMNS, toPaymentIntent, type IntentRow } from './intent-row';
import { claimNonces, NONCE_CLAIM, nonceColumns, type NonceClaimRow } from './nonce';
import { IS_RESTORE_STOP_IN_FORCE } from './restore-hold';

/** A started run marks the row; one that is still unmarked after this is started by the reconciler. */
const START_EXPECTED_WITHIN_SECONDS = 5;

type Found = IntentRow & { readonly request_digest: Buffer | null };
type CreateRow = NonceClaimRow &
  ((Found & { readonly outcome: 'created' | 'replayed' }) | { readonly outcome: null });

const WISHED = {
  intent_id: 'text',
  partner_user_id: 'text',
  amount_usd_cents: 'bigint',
  corridor: 'text',
  time_to_live: 'int',
  idempotency_key: 'text',
  request_digest: 'bytea',
  is_amount_allowed: 'boolean',
};

/**
 * `order by` reads all its rows before it hands on the first. So all nonces are recorded before the first intent, the nonces in
 * the order of their primary key and the intents in that of partner and idempotency key: two processes that are asked the same
 * never wait for each other in a ring. An equal idempotency key comes with an equal id (decision 14), so either constraint may
 * refuse the second. A create during a stop for a restore may repeat a payment that was lost: its provider is asked first.
 */
const CREATE = `
  with ${claimNonces(WISHED)},
  prior as materialized (
    select asked.place, found.*
      from asked
      join claimed using (place)
     cross join lateral (
            select * from payment_intents i
             where i.partner_id = asked.partner_id and i.idempotency_key = asked.idempotency_key offset 0
          ) as found
  ),
  clock as materialized (select date_trunc('milliseconds', service_now()) as now),
  created as (
    insert into payment_intents (
      intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at,
      idempotency_key, request_digest, check_at, must_ask_provider)
    select asked.intent_id, asked.partner_id, asked.partner_user_id, asked.amount_usd_cents, asked.corridor, clock.now,
           clock.now + make_interval(secs => asked.time_to_live), asked.idempotency_key, asked.request_digest,
           clock.now + interval '${String(START_EXPECTED_WITHIN_SECONDS)} s', ${IS_RESTORE_STOP_IN_FORCE}
      from asked
      join claimed using (place)
     cross join clock
     where asked.is_amount_allowed and not exists (select from prior where prior.place = asked.place)
     order by asked.partner_id, asked.idempotency_key, asked.place
        on conflict do nothing
    returning *
  )
  select ${NONCE_CLAIM}, found.*
    from judged
    left join claimed using (place)
    left join (
      -- Of callers with equal keys, who share an id, the first made the row.
      select asked.place as of, 'created' as outcome, ${INTENT_COLUMNS}, i.request_digest
        from created i join asked using (intent_id)
       where asked.place = (select min(a.place) from asked a join claimed using (place)
                             where a.intent_id = i.intent_id and a.is_amount_allowed)
      union all
      select i.place, 'replayed', ${INTENT_COLUMNS}, i.request_digest from prior i
    ) as found on found.of = judged.place
   order by judged.place`;

/** @returns a function that creates one intent, by a statement that it shares with whoever creates one at the same time */
export function createIntents(
  database: Queryable,
  environment: string,
): (command: CreateIntentCommand) => Promise<CreateIntentOutcome> {
  const insertTogether = createGathering((commands: readonly CreateIntentCommand[]) =>
    insertAll(database, environment, commands),
  );
  return async (command) => {
    const row = await insertTogether(command);
    if (row.nonce_claim !== 'claimed') return { outcome: 'refused', why: row.nonce_claim };
    if (row.outcome === 'created') return { outcome: 'created', intent: toPaymentIntent(row) };
    if (row.outcome === 'replayed') return replayOf(row, command);
    if (!command.isAmountAllowed) return { outcome: 'amount_below_minimum' };
    // Not even found: an equal key came with the same statement, or committed while this one waited for it.
    return replayOf(await findByKey(database, command), command);
  };
}

async function insertAll(
  database: Queryable,
  environment: string,
  commands: readonly CreateIntentCommand[],
): Promise<readonly CreateRow[]> {
  const { rows } = await database.query<CreateRow>({
    name: 'create-intents',
    text: CREATE,
    values: [
      environment,
      ...nonceColumns(commands.map(({ caller }) => caller)),
      commands.map(({ intentId }) => intentId),
      commands.map(({ partnerUserId }) => partnerUserId),
      commands.map(({ amountUsdCents }) => amountUsdCents),
      commands.map(({ corridor }) => corridor),
      commands.map(({ timeToLiveSeconds }) => timeToLiveSeconds),
      commands.map(({ idempotency }) => idempotency?.key ?? null),
      commands.map(({ idempotency }) => (idempotency ? Buffer.from(idempotency.bodyDigest) : null)),
      commands.map(({ isAmountAllowed }) => isAmountAllowed),
    ],
  });
  return rows;
}

async function findByKey(database: Queryable, command: CreateIntentCommand): Promise<Found> {
  const { rows } = await database.query<Found>({
    name: 'find-intent-by-idempotency-key',
    text: `select ${INTENT_COLUMNS}, i.request_digest from payment_intents i
            where i.partner_id = $1 and i.idempotency_key = $2`,
    values: [command.caller.partnerId, command.idempotency?.key],
  });
  const first = rows[0];
  if (first === undefined) throw new Error('an intent was neither created nor found');
  return first;
}

function replayOf(first: Found, command: CreateIntentCommand): CreateIntentOutcome {
  const digest = command.idempotency?.bodyDigest;
  const isSameBody =
    digest !== undefined &&
    first.request_digest !== null &&
    timingSafeEqual(first.request_digest, digest);
  return isSameBody
    ? { outcome: 'replayed', intent: toPaymentIntent(first) }
    : { outcome: 'key_reused' };
}
