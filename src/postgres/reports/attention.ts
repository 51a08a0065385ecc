// Port attention over Postgres: one bounded statement over partial indexes, so that it costs the
// same beside a million settled payments.
import type { AttentionFigures, AttentionWatch } from '../../ports/observe';
import { readOne, type Queryable } from '../database';

const COUNTED_AT_MOST = 10_000;
/** So many alarms at once tell an operator all that single ones can. */
const NAMED_AT_MOST = 20;
const SLOW_AFTER_SECONDS = 60;
/**
 * Every authorized row is due or leased within this time (claims.ts, transition-statements.ts); a
 * row that is due later is `created`.
 */
const AUTHORIZED_DUE_WITHIN_SECONDS = 60;

export function createAttentionWatch(database: Queryable): AttentionWatch {
  return {
    async read() {
      const { figures } = await readOne<{ readonly figures: AttentionFigures }>(database, {
        name: 'attention-figures',
        text: FIGURES,
      });
      return figures;
    },
  };
}

/**
 * The clock is read in subqueries, since Postgres does not search an index by a volatile function.
 * Beside 1 000 000 settled payments, 50 000 created, 5 500 authorized and 20 000 pending events,
 * the statement takes 50 ms.
 */
const FIGURES = `
  with clock as materialized (
    select service_now() as now
  ),
  open as (
    select attention_id, intent_id, kind from attention where ended_at is null
     limit ${COUNTED_AT_MOST}
  ),
  newest as (
    select n.*, i.corridor
      from (select * from open order by attention_id desc limit ${NAMED_AT_MOST}) as n
      join payment_intents i using (intent_id)
  ),
  due as materialized (
    select intent_id, attention_since from payment_intents
     where status = 'authorized'
       and check_at <= (select now + interval '${AUTHORIZED_DUE_WITHIN_SECONDS} s' from clock)
     order by check_at limit ${COUNTED_AT_MOST}
  ),
  slow as (
    select d.attention_since is not null as has_attention
      from due d
     where (select t.at from intent_transitions t
             where t.intent_id = d.intent_id and t.to_status = 'authorized')
           <= (select now - interval '${SLOW_AFTER_SECONDS} s' from clock)
  ),
  pending as (
    select created_at as since from webhook_events
     where check_at is not null and state = 'pending'
     order by check_at limit ${COUNTED_AT_MOST}
  ),
  skipped as (
    select from webhook_events where state = 'skipped' limit ${COUNTED_AT_MOST}
  ),
  ages as (
    select (select min(attention_since) from payment_intents
             where attention_since is not null) as attention,
           (select min(since) from pending) as pending
  )
  select jsonb_build_object(
           'needingAttention', jsonb_build_object(
             'byKind', (select jsonb_object_agg(kind, count)
                          from (select kind, count(open.kind)
                                  from attention_kinds left join open using (kind)
                                 group by kind) as counted),
             'newest', (select coalesce(jsonb_agg(jsonb_build_object(
                                 'intentId', intent_id, 'kind', kind, 'corridor', corridor)
                                   order by attention_id desc), '[]')
                          from newest),
             'oldestSeconds', coalesce(extract(epoch from clock.now - ages.attention), 0)),
           'slowToSettle', jsonb_build_object(
             'withAttention', (select count(*) from slow where has_attention),
             'withoutAttention', (select count(*) from slow where not has_attention)),
           'pendingEvents', jsonb_build_object(
             'count', (select count(*) from pending),
             'oldestSeconds', coalesce(extract(epoch from clock.now - ages.pending), 0)),
           'skippedEvents', (select count(*) from skipped),
           'disabledEndpoints', (select count(*) from webhook_endpoints
                                  where disabled_at is not null),
           'stopsInForce', array(select distinct kind from payout_stops where ended_at is null),
           'restoreWatchAgeSeconds', (select extract(epoch from clock.now - ticked_at)
                                        from restore_watch),
           'decidedAlone', (select count(*) from approvals
                             where is_alone and decided_at > clock.now - interval '1 day')
         ) as figures
    from clock, ages`;
