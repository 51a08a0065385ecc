// The statement that records attempts (decision 19) and takes what goes out next. Read it downward: what is told, the
// endpoints, the events with their attempts, then the places and the events that are taken for them.
import {
  WEBHOOK_ATTEMPT_TIMEOUT_MS,
  WEBHOOK_FAILING_DAYS_MAX,
  WEBHOOK_GONE_IN_A_ROW_MAX,
  WEBHOOK_LEASE_SECONDS,
} from '../domain/limits';
import { ENDPOINT_MARK, WAITS_UNSENT } from './webhook-rows';

/** Past its time by this, somebody makes sure that the next attempt is coming. */
const ATTEMPT_EXPECTED_WITHIN_SECONDS = 60;
const ATTEMPT = `interval '${String(WEBHOOK_ATTEMPT_TIMEOUT_MS)} ms'`;
const FAILING_TOO_LONG = `interval '${String(WEBHOOK_FAILING_DAYS_MAX)} days'`;
/** An event `v` that waits at the endpoint of `w`, and that nobody sends. */
const WAITING = `v.partner_id = w.partner_id and ${WAITS_UNSENT}
                       and v.event_id not in (select event_id from seen)`;
const LEASE = `interval '${String(WEBHOOK_LEASE_SECONDS)} s'`;

/** What the four parameters tell, as webhook-finish.ts writes it. */
const TOLD = `
  clock as materialized (
    select service_now() as now
  ),
  result as materialized (
    select * from json_to_recordset($1) as r (
      event_id text, attempts_replayed integer, lease text, started_at timestamptz, duration_ms integer, status integer,
      error text, answer_excerpt text, result text, retry_in_seconds float8)
  ),
  unsent as materialized (
    select * from json_to_recordset($2) as u (event_id text, lease text)
  ),
  holding as materialized (
    select * from json_to_recordset($3) as h (
      nth integer, lease text, partner_id text, mark text, wanted integer, is_last boolean, in_hand json)
  ),
  book as materialized (
    select * from json_to_recordset($4) as b (
      partner_id text, is_failing boolean, is_taken boolean, is_answered_otherwise boolean, gone integer)
  )`;

/**
 * A healthy endpoint's row is not written, so that it does not become the lock of all its events. The others are locked in
 * the order of their partners, so that no two statements wait for each other.
 */
const ENDPOINTS = `
  written as materialized (
    select e.partner_id
      from clock, book b join webhook_endpoints e on e.partner_id = b.partner_id
     where (b.is_failing and b.is_taken)
        or (e.failing_since is not null) <> b.is_failing
        or (b.is_failing and e.failing_since <= clock.now - ${FAILING_TOO_LONG})
        or (e.gone_in_a_row > 0 and b.is_answered_otherwise)
        or b.gone > 0
     order by e.partner_id
       for update of e
  ),
  endpoint as (
    update webhook_endpoints e
       set (failing_since, gone_in_a_row, disabled_at, disabled_reason) = (
             select n.failing_since, n.gone, case when n.reason is null then e.disabled_at else clock.now end,
                    coalesce(n.reason, e.disabled_reason)
               from (select a.*,
                            case when e.disabled_at is not null then null
                                 when a.gone >= ${String(WEBHOOK_GONE_IN_A_ROW_MAX)}
                                 then 'it answered 410 ' || a.gone || ' times in a row'
                                 when a.failing_since <= clock.now - ${FAILING_TOO_LONG}
                                 then 'it has taken nothing since ' || rfc3339(a.failing_since) end as reason
                       from (select case when not b.is_failing then null
                                         when b.is_taken then clock.now
                                         else coalesce(e.failing_since, clock.now) end as failing_since,
                                    case when b.is_answered_otherwise then 0 else e.gone_in_a_row end + b.gone as gone
                            ) as a) as n)
      from clock, written w join book b on b.partner_id = w.partner_id
     where e.partner_id = w.partner_id
    returning e.partner_id, case when old.disabled_at is null then new.disabled_reason end as disabled_reason
  ),
  disabled as materialized (
    select partner_id, disabled_reason from endpoint where disabled_reason is not null
  )`;

/**
 * Who has every place of an endpoint under one lease sends there alone, since whoever takes an event takes a place too: what
 * waits is then taken without a write for each. Such a lease may be over, as an event's own may; while nobody else has begun,
 * what was met counts.
 */
const WHOLE = `
  whole as materialized (
    select h.lease, p.until
      from holding h,
           lateral (select bool_and(p.lease is not distinct from h.lease) as is_whole, min(p.leased_until) as until
                      from webhook_places p where p.partner_id = h.partner_id) as p
     where h.in_hand is not null and p.is_whole
  )`;

/**
 * What was delivered stays delivered, and what was given up is not taken up again by an attempt that was frozen on its way
 * and reports when its lease is another's. Only a delivery that did happen is told as one, unless operations have had the
 * event sent again since. A disabled endpoint's other events become `missed` by the sweep, in bounded batches.
 */
const EVENTS = `
  event as (
    update webhook_events v
       set attempts = v.attempts + 1,
           lease = nullif(v.lease, r.lease),
           leased_until = case when v.lease = r.lease then null else v.leased_until end,
           (state, finished_at, due_at, check_at) = (
             select n.state,
                    case when n.state in ('delivered', 'given_up') then coalesce(v.finished_at, clock.now) end,
                    case when n.state = 'owed' then n.due_at end,
                    case when n.state <> 'owed' then null
                         when n.due_at = v.due_at then v.check_at
                         else n.due_at + interval '${String(ATTEMPT_EXPECTED_WITHIN_SECONDS)} s' end
               from (select case when r.result = 'delivered' and v.attempts_replayed = r.attempts_replayed then 'delivered'
                                 when v.state <> 'owed' or not h.is_held then v.state
                                 when r.result = 'given_up' then 'given_up'
                                 when v.partner_id in (select partner_id from disabled) then 'missed'
                                 else v.state end as state,
                            case when h.is_held then clock.now + make_interval(secs => r.retry_in_seconds)
                                 else v.due_at end as due_at
                       from (select v.lease is not distinct from r.lease
                                    or (v.lease is null and v.attempts_replayed = r.attempts_replayed
                                        and r.lease in (select lease from whole)) as is_held) as h) as n)
      from result r, clock
     where v.event_id = r.event_id
    returning v.event_id, v.attempts, r.started_at, r.duration_ms, r.status, r.error, r.answer_excerpt
  ),
  attempt as (
    insert into webhook_attempts (event_id, attempt, started_at, duration_ms, status, error, answer_excerpt)
    select event_id, attempts, started_at, duration_ms, status, error, answer_excerpt from event
  ),
  given_back as (
    update webhook_events v set lease = null, leased_until = null
      from unsent u where v.event_id = u.event_id and v.lease = u.lease
  )`;

/**
 * Those who want more are served in their order, while their lease on a place lasts; past it the place may be another's. Who
 * has all places, for an attempt longer at least, is given what it has not in hand, by this statement's snapshot: what others
 * sent there they recorded before they freed the last of these places. An event with a lease of its own, run out or not, is left
 * to who leases it: without, what it meets would not count. Who knows the endpoint by an address or a secret that it
 * no longer has gets nothing. Who ends, and finds nothing further, frees its places.
 */
const FURTHER = `
  wanting as materialized (
    select h.nth, h.partner_id, h.lease, h.wanted, h.in_hand,
           sum(h.wanted) over (partition by h.partner_id order by h.nth) - h.wanted as after
      from clock, holding h
      join webhook_endpoints e on e.partner_id = h.partner_id and e.disabled_at is null and ${ENDPOINT_MARK} = h.mark
     where h.wanted > 0
       and h.partner_id not in (select partner_id from disabled)
       and exists (select from webhook_places p
                    where p.partner_id = h.partner_id and p.lease = h.lease and p.leased_until > clock.now)
       and (h.in_hand is null or h.lease in (select lease from whole where until > clock.now + ${ATTEMPT}))
  ),
  seen as materialized (
    select event_id from result
    union all select event_id from unsent
    union all select json_array_elements_text(in_hand) from wanting where in_hand is not null
  ),
  further as materialized (
    select w.partner_id, f.event_id, row_number() over (partition by w.partner_id) - 1 as nth
      from clock,
           (select partner_id, sum(wanted) as wanted from wanting where in_hand is null group by partner_id) as w,
           lateral (select v.event_id
                      from webhook_events v
                     where ${WAITING}
                     order by v.due_at
                     limit w.wanted
                       for update of v skip locked) as f
  ),
  leased as (
    update webhook_events v set lease = w.lease, leased_until = clock.now + ${LEASE}
      from clock, further f join wanting w on w.partner_id = f.partner_id and f.nth >= w.after and f.nth < w.after + w.wanted
     where v.event_id = f.event_id
    returning w.nth, v.event_id, v.body, v.attempts, v.attempts_replayed
  ),
  taken as (
    select w.nth, f.*
      from clock, wanting w,
           lateral (select v.event_id, v.body, v.attempts, v.attempts_replayed
                      from webhook_events v
                     where ${WAITING} and v.lease is null
                     order by v.due_at
                     limit w.wanted) as f
     where w.in_hand is not null
  ),
  given as materialized (
    select nth, json_agg(json_build_array(event_id, body, attempts, attempts_replayed)) as events
      from (select * from leased union all select * from taken) as g group by nth
  ),
  freed as (
    update webhook_places p set lease = null, leased_until = '-infinity'
      from holding h
     where p.partner_id = h.partner_id and p.lease = h.lease
       and h.is_last and h.nth not in (select nth from given)
  )`;

export const FINISH = `
  with ${[TOLD, ENDPOINTS, WHOLE, EVENTS, FURTHER].join(',')}
  select h.nth, d.disabled_reason, coalesce(g.events, '[]') as events
    from holding h
    left join disabled d on d.partner_id = h.partner_id
    left join given g on g.nth = h.nth
   order by h.nth`;
