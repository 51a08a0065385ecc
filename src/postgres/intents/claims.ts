// Port `PaymentClaims` over Postgres. Rows are claimed with `for update skip locked`, so that many
// workers share the work.
import { CORRIDORS } from '../../corridors/names';
import { NONCE_RETENTION_SECONDS, CLAIM_LEASE_SECONDS } from '../../domain/limits';
import { toPaymentStart } from '../../domain/intents/payment-start';
import type { DuePayment, PaymentClaims } from '../../ports/intents';
import { readOne, readRows, type Queryable } from '../database';
import { INTENT_COLUMNS, toPaymentIntent, type IntentRow } from './row';
import { claimOverdue } from './expiry';
import { IS_DELAYED_BY_STOP } from '../payouts/stops';

/**
 * An API whose clock is slow must still find a token that it takes for valid, and a scanned code
 * must outlive every use of its token.
 */
const TOKEN_RETENTION_BEYOND_SECONDS = 900;

/**
 * A stop may delay so many payments that claiming each more often would keep Temporal busy. The end
 * of the stop makes them due soon.
 */
const DELAYED_LEASE_SECONDS = 600;

const CLAIM_DUE = `
  update payment_intents i
     set check_at = service_now() + make_interval(secs => case when due.is_delayed
           then ${String(DELAYED_LEASE_SECONDS)} else ${String(CLAIM_LEASE_SECONDS)} end)
    from (select intent_id, ${IS_DELAYED_BY_STOP} as is_delayed,
                 exists (select from payouts p where p.intent_id = i.intent_id
                            and p.hinted_at = i.check_at) as is_hinted
            from payment_intents i
           where check_at <= (select service_now())
             and (status = 'authorized'
                  or (status = 'created' and expires_at > (select service_now())))
             and not is_workflow_gone and corridor = any ($2)
           order by check_at limit $1
             for update skip locked) as due
   where i.intent_id = due.intent_id
  returning ${INTENT_COLUMNS}, due.is_hinted as "isHinted",
            case when i.status = 'authorized' and not due.is_delayed then
              (extract(epoch from service_now() - greatest(
                (select t.at from intent_transitions t
                  where t.intent_id = i.intent_id and t.to_status = 'authorized'),
                (select max(ended_at) from payout_stops))) * 1000)::bigint
              end as "payableForMs"`;

type DueRow = IntentRow & Omit<DuePayment, 'payment'>;

/** @param installationId set only in a process that starts workflows for the payments it claims */
export function createPaymentClaims(database: Queryable, installationId?: string): PaymentClaims {
  return {
    // Before a rollback there may have been corridors that this build does not know.
    async claimDue(limit) {
      const due = await readRows<DueRow>(database, {
        name: 'claim-due',
        text: CLAIM_DUE,
        values: [limit, CORRIDORS],
      });
      return due.map(({ payableForMs, isHinted, ...row }) => ({
        payment: toPaymentStart(toPaymentIntent(row), installationId),
        payableForMs,
        isHinted,
      }));
    },

    claimOverdue: (limit) => claimOverdue(database, limit, installationId),

    async markStarted(intentIds) {
      await database.query({
        name: 'mark-started',
        text: `update payment_intents
                  set check_at = expires_at
                where intent_id = any ($1) and status = 'created' and expires_at > service_now()`,
        values: [intentIds],
      });
    },

    skipEvents: (limit) => skipEvents(database, limit),
    dropExpired: (limit) => dropExpired(database, limit),
  };
}

/**
 * Events are skipped in batches, and not by the statement that disables their endpoint: any number
 * may be pending for one that failed for days.
 */
async function skipEvents(database: Queryable, limit: number): Promise<number> {
  const { rows } = await database.query({
    name: 'skip-events',
    text: `
      update webhook_events v set state = 'skipped', due_at = null, check_at = null
       where v.event_id in (
               select o.event_id
                 from webhook_endpoints e
                 join webhook_events o on o.partner_id = e.partner_id and o.state = 'pending'
                where e.disabled_at is not null
                limit $1
                  for update of o skip locked)
      returning v.event_id`,
    values: [limit],
  });
  return rows.length;
}

/**
 * The clock is read in subqueries: a volatile function beside a column keeps Postgres from using
 * the column's index.
 */
async function dropExpired(database: Queryable, limit: number): Promise<number> {
  const { dropped } = await readOne<{ readonly dropped: number }>(database, {
    name: 'drop-expired',
    text: `
      with nonces as (
        delete from request_nonces where ctid = any (array(
          select ctid from request_nonces
           where seen_at < (select service_now()) - interval '${String(NONCE_RETENTION_SECONDS)} s'
            limit $1 for update skip locked))
        returning 1
      ),
      tokens as (
        delete from used_tokens where ctid = any (array(
          select ctid from used_tokens
           where expires_at < (select service_now())
                              - interval '${String(TOKEN_RETENTION_BEYOND_SECONDS)} s'
            limit $1 for update skip locked))
        returning 1
      ),
      payloads as (
        delete from confirm_payloads where ctid = any (array(
          select p.ctid from confirm_payloads p
           where p.expires_at < (select service_now())
                                - interval '${String(TOKEN_RETENTION_BEYOND_SECONDS)} s'
             and (select i.status from payment_intents i
                   where i.intent_id = p.intent_id) <> 'authorized'
            limit $1 for update skip locked))
        returning 1
      ),
      quotes as (
        delete from quotes where ctid = any (array(
          select q.ctid from quotes q
           where q.expires_at < (select service_now()) and not q.is_adopted
             and (select i.status from payment_intents i
                   where i.intent_id = q.intent_id) not in ('created', 'authorized')
             and not exists (select from confirm_payloads p where p.quote_id = q.quote_id)
            limit $1 for update skip locked))
        returning 1
      )
      select (select count(*) from nonces) + (select count(*) from tokens)
             + (select count(*) from payloads) + (select count(*) from quotes) as dropped`,
    values: [limit],
  });
  return dropped;
}
