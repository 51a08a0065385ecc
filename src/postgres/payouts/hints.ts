// Takes hints that a payout should be queried: verified callbacks (decision 156).
import type { HintResult, PayoutHint } from '../../ports/payouts';
import { readRows, type Queryable } from '../database';
import { printable } from './details';

/** Makes a payout due to be queried. @throws DomainError `unavailable` */
export async function takeHint(database: Queryable, hint: PayoutHint): Promise<HintResult> {
  const { intentId, corridor, accounts, reference } = hint;
  const [known] = await readRows<{ readonly result: HintResult }>(database, {
    name: 'take-hint',
    text: TAKE,
    values: [intentId, corridor, accounts, printable(reference)],
  });
  return known?.result ?? 'unknown';
}

/** Repeats have no end, and a hint may cost a history ten events: ever fewer are taken. */
const IS_NEXT = `(p.hinted_at is null or clock.now >= p.hinted_at
         + greatest(interval '5 s', (p.hinted_at - p.first_attempt_at) / 20))`;

/** Else the workflow queries within ten seconds anyway, or people decide. */
const IS_QUERIED_SLOWLY = `exists (select from attention a
         where a.intent_id = i.intent_id and a.ended_at is null
           and a.kind in ('payout_unknown', 'payout_pending'))`;

/** True once: no limit may lose the only way to an order whose answer was lost. */
const IS_NAMED = `known.is_open and $4::text is not null
         and p.reference is null and p.proposed_reference is null`;

/** It locks the payment first, as every statement that locks both, and only to wake it. */
const TAKE = `
  with clock as materialized (select service_now() as now),
  known as materialized (
    select p.intent_id, i.status = 'authorized' as is_open,
           ${IS_NEXT} and ${IS_QUERIED_SLOWLY} as may_wake
      from payouts p join payment_intents i using (intent_id), clock
     where p.intent_id = $1 and i.corridor = $2
       and (p.account is null or p.account = any ($3::text[]))
       and (i.status = 'authorized' or (p.status <> 'sent' and p.ask_at is not null))
  ),
  waiting as materialized (
    select i.intent_id from payment_intents i join known using (intent_id)
     where known.may_wake and i.status = 'authorized' for no key update of i
  ),
  taken as (
    update payouts p
       set hinted_at = clock.now,
           proposed_reference = case when ${IS_NAMED} then $4 else p.proposed_reference end,
           proposed_by = case when ${IS_NAMED} then 'callback' else p.proposed_by end,
           -- One that is queried within a minute anyway keeps its time.
           ask_at = case when p.status <> 'sent' and p.ask_at > clock.now + interval '1 min'
                         then clock.now else p.ask_at end
      from clock, known left join waiting using (intent_id)
     where p.intent_id = known.intent_id and (${IS_NEXT} or ${IS_NAMED})
    returning p.intent_id, waiting.intent_id is not null as is_waiting
  ),
  woken as (
    update payment_intents i set check_at = clock.now
      from clock, taken where i.intent_id = taken.intent_id and taken.is_waiting
  )
  select case when exists (select from taken) then 'taken' else 'repeated' end as result
    from known`;
