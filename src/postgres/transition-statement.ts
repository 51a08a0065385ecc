// The statement that changes a status, in one commit with everything that has to be true with it (architecture, sections 2
// and 3, rule R1). Who runs it, and what it means when it moves nothing: transition.ts.
import { PAYOUT_CLOSED_FOR_SECONDS } from '../domain/limits';
import { HOLDING_SLOTS } from './holding';
import { IS_RESTORE_STOP_IN_FORCE, MUST_ASK_PROVIDER } from './restore-hold';

/** An authorized intent is looked at by the reconciler when it has not settled by then (architecture, section 3). */
const SETTLEMENT_EXPECTED_WITHIN_SECONDS = 30;
/** The payment's own workflow delivers its webhook; the outbox poller takes what is older than this. */
const DELIVERY_EXPECTED_WITHIN_SECONDS = 60;

/** Whether the row `i` can only become `expired`, by the time of `clock` (decision 15). */
export const IS_OVERDUE = `i.status = 'created' and i.expires_at <= clock.now`;

/**
 * The webhook event of each row that `moved`, for partners that want one: owed, or skipped where the endpoint is disabled.
 * @param event where its id is from
 * @param pollAfterSeconds when the outbox poller takes it, unless it is delivered by then
 */
export function writeEvent(
  { id, source }: { readonly id: string; readonly source: string },
  pollAfterSeconds: number,
): string {
  return `
    insert into webhook_events (event_id, intent_id, partner_id, type, body, created_at, state, due_at, check_at)
    select ${id}, m.intent_id, m.partner_id, 'payment_intent.' || m.status,
           webhook_body(m.*::payment_intents, date_trunc('milliseconds', clock.now)),
           date_trunc('milliseconds', clock.now),
           case when e.disabled_at is null then 'owed' else 'missed' end,
           case when e.disabled_at is null then clock.now end,
           case when e.disabled_at is null then clock.now + interval '${String(pollAfterSeconds)} s' end
      from clock, ${source}
      join webhook_endpoints e on e.partner_id = m.partner_id
     where 'payment_intent.' || m.status = any (e.event_types)
    returning event_id, state`;
}

/**
 * One clock, read once and only when the row's lock is held, decides a deadline in the statement itself: past it, an
 * authorize or cancel of a created intent writes `expired`, and before it an expiry writes nothing (decision 15). Seven
 * guards keep money true whatever asks: nothing is done in the payer's name without a token, a token that expired while its
 * confirm waited for a worker authorizes nothing, an authorized intent is not cancelled once its payout was sent, nothing is
 * captured that was not debited, nothing is refunded that was not captured, nothing is declared declined of which an attempt
 * has begun, or the provider has said that it has it, since it was judged, and a release gives back only what was debited. A
 * refund is credited against what the provider owes us (decision 16). An authorize may take the debit along (decision 124).
 * After Postgres has lost commits, an intent expires or is cancelled only when no stop for a restore is in force and the
 * provider was asked (decision 127).
 *
 * $1 the intent, $2 the status that it must have, $3 the status that it is to get, $4 the actor, $5 the reason; $6 the partner,
 * $7 the hex hash and $8 the end of the token that authorizes; $9 the id of the webhook event, should one be written; $10 the
 * slot that a search for the debit begins with and that money given back goes to; $11 the request, for the audit trail; $12 how
 * often the payout had been begun when operations' declaration was judged; $13 the amount to debit with an authorize; $14 to $16
 * amount, corridor and creation that the workflow knows; $17 whether the provider was asked, and has no such payout.
 * $5 to $8 and $11 to $16 are null where there is no such thing.
 */
export const MOVE = `
  with clock as materialized (
    select service_now() as now
      from (select from payment_intents where intent_id = $1 and status = $2 for no key update) as held
  ),
  moved as (
    update payment_intents as i
       set status = case when ${IS_OVERDUE} then 'expired' else $3 end,
           captured_at = case when $3 = 'captured' then date_trunc('milliseconds', clock.now)
                              else i.captured_at end,
           check_at = case when $3 = 'authorized' and i.expires_at > clock.now
                           then clock.now + interval '${String(SETTLEMENT_EXPECTED_WITHIN_SECONDS)} s' end,
           attention_reason = null,
           attention_since = null
      from clock
     where i.intent_id = $1
       and i.status = $2
       and ($14::bigint is null or (i.amount_usd_cents = $14 and i.corridor = $15 and i.created_at = $16::timestamptz))
       and (i.status <> 'created'
            or ($3 = 'authorized' and i.expires_at > clock.now)
            or (not ${IS_RESTORE_STOP_IN_FORCE} and ($17::boolean or not ${MUST_ASK_PROVIDER})))
       and not ($3 = 'cancelled' and ${IS_RESTORE_STOP_IN_FORCE})
       and ($3 <> 'expired' or ${IS_OVERDUE})
       and not ($2 = 'authorized' and $3 = 'cancelled'
                and (exists (select from payouts p where p.intent_id = $1)
                     or (${MUST_ASK_PROVIDER} and not $17::boolean)))
       and ($3 <> 'authorized' or $8::timestamptz is null or $8 > clock.now)
       and ($4 <> 'payer' or $7::text is not null)
       and ($3 <> 'captured'
            or exists (select from ledger_transfers d where d.transfer_key = $1 || ':debit'))
       and ($3 <> 'refunded'
            or exists (select from ledger_transfers c where c.transfer_key = $1 || ':capture'))
       and ($12::int is null
            or ($12 = 0 and not exists (select from payouts p where p.intent_id = $1))
            or exists (select from payouts p
                        where p.intent_id = $1 and p.attempts = $12
                          and (p.taken_at is null or p.taken_at <= p.closed_until - interval '${String(PAYOUT_CLOSED_FOR_SECONDS)} s')))
    returning i.*
  ),
  history as (
    insert into intent_transitions (intent_id, from_status, to_status, at, actor, reason, request_id)
    select m.intent_id, $2, m.status, clock.now, case m.status when 'expired' then 'system' else $4 end, $5, $11
      from moved m, clock
  ),
  token as (
    insert into used_tokens (partner_id, jti_hash, intent_id, expires_at)
    select $6, decode($7, 'hex'), m.intent_id, $8 from moved m where m.status = 'authorized' and $7 is not null
  ),
  -- The code that came with the token becomes the payment's (decision 20).
  code as (
    update confirm_payloads p set is_adopted = true
      from moved m where m.status = 'authorized' and p.intent_id = m.intent_id and p.jti_hash = decode($7, 'hex')
  ),
  -- The debit that an authorize takes along: from a slot that nobody holds and that has enough. It waits for none.
  purse as (
    select s.slot, m.amount_usd_cents
      from moved m, holding_slots s
     where m.status = 'authorized' and m.amount_usd_cents = $13::bigint and s.balance_usd_cents >= m.amount_usd_cents
       and not exists (select from ledger_transfers d where d.transfer_key = $1 || ':debit')
     order by (s.slot + $10::int) % ${String(HOLDING_SLOTS)}
     limit 1
       for update of s skip locked
  ),
  debited as (
    update holding_slots s set balance_usd_cents = s.balance_usd_cents - p.amount_usd_cents
      from purse p where s.slot = p.slot
    returning p.amount_usd_cents
  ),
  transfers as (
    insert into ledger_transfers (transfer_key, intent_id, from_account, to_account, amount_usd_cents, created_at, actor)
    select m.intent_id || ':debit', m.intent_id, 'holding', 'held', d.amount_usd_cents, clock.now, 'system'
      from clock, moved m, debited d
    union all
    select m.intent_id || ':capture', m.intent_id, 'held', 'settlement:' || m.corridor, m.amount_usd_cents, clock.now, $4
      from moved m, clock where m.status = 'captured'
    union all
    select m.intent_id || ':release', m.intent_id, 'held', 'holding', d.amount_usd_cents, clock.now, $4
      from clock, moved m join ledger_transfers d on d.transfer_key = m.intent_id || ':debit'
     where m.status in ('failed', 'cancelled')
    union all
    select m.intent_id || ':refund', m.intent_id, 'owed:' || m.corridor, 'holding', c.amount_usd_cents, clock.now, $4
      from clock, moved m join ledger_transfers c on c.transfer_key = m.intent_id || ':capture'
     where m.status = 'refunded'
    returning to_account, amount_usd_cents
  ),
  slot as (
    update holding_slots s set balance_usd_cents = s.balance_usd_cents + t.amount_usd_cents
      from transfers t where t.to_account = 'holding' and s.slot = $10
  ),
  payout as (
    update payouts p set status = case m.status when 'captured' then 'paid' else 'declined' end, decided_at = clock.now
      from moved m, clock where p.intent_id = m.intent_id and m.status in ('captured', 'failed')
  ),
  -- What is captured was paid out, also where a restored database has forgotten that it was begun (decision 127).
  forgotten as (
    insert into payouts (intent_id, status, attempts, first_sent_at, last_sent_at, decided_at)
    select m.intent_id, 'paid', 0, clock.now, clock.now, clock.now
      from moved m, clock
     where m.status = 'captured' and not exists (select from payouts p where p.intent_id = m.intent_id)
  ),
  event as (${writeEvent({ id: '$9', source: 'moved m' }, DELIVERY_EXPECTED_WITHIN_SECONDS)}
  )
  select m.status,
         (select event_id from event where state = 'owed') as event_id,
         exists (select from debited) as is_debited
    from moved m`;
