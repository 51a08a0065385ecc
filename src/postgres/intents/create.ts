// Creates an intent: nonce, idempotency record and intent are written by one statement in one
// commit (architecture, section 5, decisions 12 and 14).
import { timingSafeEqual } from 'node:crypto';
import type { CreateIntentCommand, CreateIntentOutcome } from '../../ports/intents';
import type { Closed } from '../../ports/partners';
import { readOne, type Queryable } from '../database';
import { INTENT_COLUMNS, toPaymentIntent, type IntentRow } from './row';
import { closedBy } from '../partners/closures';
import { takePlace } from '../partners/limits';
import { claimNonces, NONCE_CLAIM, nonceColumns, type NonceClaimRow } from '../partners/nonces';
import { IS_RESTORE_STOP_IN_FORCE } from '../payouts/stops';

/**
 * A workflow that has started marks its row. The workflow repairer starts one for a row that is
 * still unmarked after this.
 */
const START_EXPECTED_WITHIN_SECONDS = 5;

type Found = IntentRow & { readonly request_digest: Buffer | null };
type CreateRow = NonceClaimRow & {
  readonly directory_version: number;
  readonly closed: Closed | null;
} & ((Found & { readonly outcome: 'created' | 'replayed' }) | { readonly outcome: null });

/**
 * Equal idempotency keys give equal ids (decision 14), so either constraint may reject the second
 * of two simultaneous creates. A create during a stop for a restore may repeat a payment that was
 * lost: its provider must be queried first.
 *
 * $1 the environment, $2 to $5 the caller in lists of one; $6 the id, $7 the partner's user, $8
 * cents, $9 the corridor, $10 the time to live in seconds, $11 the idempotency key and $12 the
 * digest of the body, both null without a key; $13 whether an intent may be created.
 */
const CREATE = `
  with ${claimNonces()},
  prior as materialized (
    select found.*
      from claimed
     cross join lateral (
            select * from payment_intents i
             where i.partner_id = claimed.partner_id and i.idempotency_key = $11 offset 0
          ) as found
  ),
  door as materialized (select ${closedBy('$9', 'claimed.partner_id')} as closed from claimed),
  clock as materialized (select date_trunc('milliseconds', service_now()) as now),
  created as (
    insert into payment_intents (
      intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at,
      idempotency_key, request_digest, check_at, must_query_provider)
    select $6, claimed.partner_id, $7, $8, $9, clock.now, clock.now + make_interval(secs => $10),
           $11, $12, clock.now + interval '${String(START_EXPECTED_WITHIN_SECONDS)} s',
           ${IS_RESTORE_STOP_IN_FORCE}
      from claimed, clock, door
     where $13 and door.closed is null and not exists (select from prior)
        on conflict do nothing
    returning *
  )
  select ${NONCE_CLAIM}, (select version from directory_version) as directory_version,
         (select closed from door) as closed, i.outcome, ${INTENT_COLUMNS}, i.request_digest
    from checked
    left join claimed using (ordinal)
    left join (
      select 'created' as outcome, * from created
      union all
      select 'replayed', * from prior
    ) as i on true`;

export async function createIntent(
  database: Queryable,
  environment: string,
  command: CreateIntentCommand,
): Promise<CreateIntentOutcome> {
  const hasPlace = await takePlace(database, environment, command);
  const row = await insert(database, environment, command, hasPlace);
  if (row.nonce_claim !== 'claimed') return { outcome: 'rejected', why: row.nonce_claim };
  if (row.outcome === 'created') {
    const { directory_version: directoryVersion } = row;
    return { outcome: 'created', intent: toPaymentIntent(row), directoryVersion };
  }
  if (row.outcome === 'replayed') return replayOf(row, command);
  if (row.closed !== null) return { outcome: 'closed', why: row.closed };
  if (!command.isAmountAllowed) return { outcome: 'amount_not_allowed' };
  if (!hasPlace) return { outcome: 'second_full' };
  // Another create with the same key committed while this one waited for it: its snapshot lacks it.
  return replayOf(await findByKey(database, command), command);
}

function insert(
  database: Queryable,
  environment: string,
  { caller, intentId, partnerUserId, idempotency, ...terms }: CreateIntentCommand,
  hasPlace: boolean,
): Promise<CreateRow> {
  return readOne(database, {
    name: 'create-intent',
    text: CREATE,
    values: [
      environment,
      ...nonceColumns([caller]),
      intentId,
      partnerUserId,
      terms.amountUsdCents,
      terms.corridor,
      terms.timeToLiveSeconds,
      idempotency?.key ?? null,
      idempotency ? Buffer.from(idempotency.bodyDigest) : null,
      terms.isAmountAllowed && hasPlace,
    ],
  });
}

/** @throws Error when there is no such intent */
function findByKey(database: Queryable, command: CreateIntentCommand): Promise<Found> {
  return readOne(database, {
    name: 'find-intent-by-idempotency-key',
    text: `select ${INTENT_COLUMNS}, i.request_digest from payment_intents i
            where i.partner_id = $1 and i.idempotency_key = $2`,
    values: [command.caller.partnerId, command.idempotency?.key],
  });
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
