// Create: nonce, idempotency record and intent in one statement and one commit (architecture, section 5, decisions 12
// and 14).
import { timingSafeEqual } from 'node:crypto';
import type { CreateIntentCommand, CreateIntentOutcome } from '../ports/intent-store';
import type { Queryable } from './database';
import { INTENT_COLUMNS, toPaymentIntent, type IntentRow } from './intent-row';
import { CLAIM_NONCE, claimNonceValues, NONCE_CLAIM, type NonceClaimRow } from './nonce';

/** A started run marks the row; one that is still unmarked after this is started by the reconciler. */
const START_EXPECTED_WITHIN_SECONDS = 5;

type Found = IntentRow & { readonly request_digest: Buffer | null };
type CreateRow = NonceClaimRow & ((Found & { readonly outcome: 'created' | 'replayed' }) | Unfound);
interface Unfound {
  readonly outcome: null;
}

export async function createIntent(
  database: Queryable,
  environment: string,
  command: CreateIntentCommand,
): Promise<CreateIntentOutcome> {
  const row = await insertIntent(database, environment, command);
  if (row.nonce_claim !== 'claimed') return { outcome: 'refused', why: row.nonce_claim };
  if (row.outcome === 'created') return { outcome: 'created', intent: toPaymentIntent(row) };
  if (row.outcome === 'replayed') return replayOf(row, command);
  if (!command.isAmountAllowed) return { outcome: 'amount_below_minimum' };
  // Not even found: an equal key committed while this statement waited for it, so its snapshot is too old to see it.
  return replayOf(await findByKey(database, command), command);
}

async function insertIntent(
  database: Queryable,
  environment: string,
  command: CreateIntentCommand,
): Promise<CreateRow> {
  const { rows } = await database.query<CreateRow>({
    name: 'create-intent',
    text: `
      with ${CLAIM_NONCE},
      prior as (
        select i.* from payment_intents i join caller c on c.partner_id = i.partner_id
         where i.idempotency_key = $11
      ),
      clock as (select date_trunc('milliseconds', service_now()) as now),
      created as (
        insert into payment_intents (
          intent_id, partner_id, partner_user_id, amount_usd_cents, corridor, created_at, expires_at,
          idempotency_key, request_digest, check_at)
        select $6, nonce.partner_id, $7, $8, $9, clock.now, clock.now + make_interval(secs => $10::int),
               $11, $12, clock.now + interval '${String(START_EXPECTED_WITHIN_SECONDS)} s'
          from nonce, clock
         where $13 and not exists (select from prior)
            on conflict (partner_id, idempotency_key) where idempotency_key is not null do nothing
        returning *
      )
      select ${NONCE_CLAIM}, found.*
        from (values (1)) as always
        left join (
          select 'created' as outcome, ${INTENT_COLUMNS}, i.request_digest from created i
          union all
          select 'replayed', ${INTENT_COLUMNS}, i.request_digest from prior i
        ) as found on true`,
    values: [
      ...claimNonceValues(command.caller, environment),
      command.intentId,
      command.partnerUserId,
      command.amountUsdCents,
      command.corridor,
      command.timeToLiveSeconds,
      command.idempotency?.key ?? null,
      command.idempotency === undefined ? null : Buffer.from(command.idempotency.bodyDigest),
      command.isAmountAllowed,
    ],
  });
  return rows[0] ?? { nonce_claim: 'withdrawn', outcome: null };
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
