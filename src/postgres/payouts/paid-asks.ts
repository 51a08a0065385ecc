// Port `PaidAsks` over Postgres.
import type { PaidAsks, PaidPayout } from '../../ports/payouts';
import { readRows, type Queryable } from '../database';
import { insertAttention } from '../intents/attention';
import { ORDER } from './journal';

export function createPaidAsks(database: Queryable): PaidAsks {
  return {
    claimDue: (corridor, limit) =>
      readRows<PaidPayout>(database, {
        name: 'claim-paid-asks',
        text: CLAIM,
        values: [corridor, limit],
      }),
    async finish(intentId, answer, forDays) {
      const values = [intentId, answer, forDays];
      await database.query({ name: 'finish-paid-ask', text: FINISH, values });
    },
    async recordReturn(intentId, answer) {
      const values = [intentId, answer];
      return (await readRows(database, { text: RECORD_RETURN, values })).length > 0;
    },
  };
}

const CLAIM = `
  with due as (
    select p.intent_id, i.amount_usd_cents, i.corridor
      from payouts p join payment_intents i using (intent_id)
     where p.ask_corridor = $1 and p.ask_at <= (select service_now()) and p.status <> 'sent'
     order by p.ask_at limit $2
       for update of p skip locked
  )
  update payouts p set ask_at = service_now() + interval '10 min'
    from due where p.intent_id = due.intent_id
  returning p.intent_id as "intentId", due.amount_usd_cents as "amountUsdCents", due.corridor,
            p.status = 'declined' as "isDeclined", ${ORDER}`;

/** An hour and a day after the capture or the decline, then daily. */
const NEXT = `case when $3 = 0 or (p.status = 'declined' and $2 = 'paid') then null
                when clock.now < p.decided_at + interval '1 h' then p.decided_at + interval '1 h'
                when clock.now < p.decided_at + interval '1 day'
                then p.decided_at + interval '1 day'
                when clock.now <= p.decided_at + ($3 - 1) * interval '1 day'
                then clock.now + interval '1 day' end`;

/** It locks the payment first, as every statement that locks both. */
const FINISH = `
  with clock as (select service_now() as now),
  payment as materialized (
    select intent_id from payment_intents where intent_id = $1 for no key update
  ),
  before as materialized (
    select p.intent_id, p.status, p.returned_at from payouts p join payment using (intent_id)
  ),
  asked as (
    update payouts p
       set ask_at = ${NEXT},
           returned_at = case when $2 = 'paid' or p.status = 'declined' then null
                              when $2 in ('returned', 'declined')
                              then coalesce(p.returned_at, clock.now) else p.returned_at end
      from before, clock where p.intent_id = before.intent_id
  )
  ${insertAttention(`(
    select intent_id,
           case status when 'paid' then 'returned' else 'paid_not_captured' end as kind,
           case when status = 'declined'
                then 'The payment failed, and now the provider says paid.'
                when $2 = 'paid'
                then 'The provider says paid again, after it said that the money came back.'
                else 'The payment was captured, and now the provider says ' || $2 || '.' end
             as sentence
      from before
     where case when status = 'declined' then $2 = 'paid'
                when $2 = 'paid' then returned_at is not null
                else $2 in ('returned', 'declined') and returned_at is null end) as s`)}`;

const RECORD_RETURN = `
  update payouts p set returned_at = coalesce(p.returned_at, service_now())
   where p.intent_id = $1 and p.status = 'paid'
     and ($2 in ('returned', 'declined') or ($2 <> 'paid' and p.returned_at is not null)
          or exists (select from reconcile_findings f
                      where f.intent_id = $1 and f.kind = 'returned' and f.closed_at is null))
  returning p.intent_id`;
