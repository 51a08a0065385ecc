// The webhook events that somebody has to be found for (architecture, section 3, sweep (b)), and those that nobody is to
// send because their endpoint was disabled.
import { WEBHOOK_LEASE_SECONDS } from '../domain/limits';
import type { OwedEvent } from '../ports/payment-sweep';
import type { Queryable } from './database';
import { knownEventId, knownIntentId, knownPartnerId } from './intent-row';

/** How long an owed event is left to the worker that claimed it: until its lease is over, had it died while it sent. */
const LEFT_TO_CLAIMER_SECONDS = WEBHOOK_LEASE_SECONDS + 5;

interface OwedRow {
  readonly event_id: string;
  readonly intent_id: string;
  readonly partner_id: string;
  readonly is_failing: boolean;
}

export async function claimOwedEvents(
  database: Queryable,
  limit: number,
): Promise<readonly OwedEvent[]> {
  const { rows } = await database.query<OwedRow>({
    name: 'claim-owed-events',
    text: CLAIM_OWED,
    values: [limit],
  });
  return rows.map(toOwed);
}

/**
 * Of one endpoint one more than are under way there, as far as places are free: who sends to it takes along what waits, from
 * all places if there is much, so that mostly nobody is sent to help. Endpoints that something is owed to are found by
 * skipping through the index, one step each, however long the queue of any of them is. The first of each are handed out
 * before the second of any, and in no order among each other, so that no endpoint comes first each time.
 */
const CLAIM_OWED = `
  with recursive clock as materialized (
    select service_now() as now
  ),
  owing as (
    (select partner_id from webhook_events where state = 'owed' order by partner_id limit 1)
    union all
    select (select v.partner_id from webhook_events v
             where v.state = 'owed' and v.partner_id > o.partner_id order by v.partner_id limit 1)
      from owing o where o.partner_id is not null
  ),
  due as materialized (
    select d.event_id, d.place, e.failing_since is not null as is_failing
      from clock, owing o
      join webhook_endpoints e on e.partner_id = o.partner_id and e.disabled_at is null,
           lateral (select count(*) filter (where p.leased_until <= clock.now) as free,
                           count(*) filter (where p.leased_until > clock.now) as taken
                      from webhook_places p where p.partner_id = o.partner_id) as places,
           lateral (select v.event_id, row_number() over (order by v.due_at) as place
                      from webhook_events v
                     where v.partner_id = o.partner_id and v.state = 'owed' and v.due_at <= clock.now
                       and v.check_at <= clock.now
                       and (v.leased_until is null or v.leased_until <= clock.now)
                     order by v.due_at limit least(places.free, places.taken + 1)) as d
     order by d.place limit $1
  ),
  free as (
    select v.event_id from webhook_events v join clock on v.check_at <= clock.now
     where v.event_id in (select event_id from due) and v.state = 'owed'
       for update of v skip locked
  ),
  taken as (
    update webhook_events v
       set check_at = clock.now + interval '${String(LEFT_TO_CLAIMER_SECONDS)} s'
      from free join due on due.event_id = free.event_id, clock
     where v.event_id = free.event_id
    returning v.event_id, v.intent_id, v.partner_id, due.is_failing, due.place
  )
  select event_id, intent_id, partner_id, is_failing from taken order by place, random()`;

function toOwed(row: OwedRow): OwedEvent {
  return {
    eventId: knownEventId(row.event_id),
    intentId: knownIntentId(row.intent_id),
    partnerId: knownPartnerId(row.partner_id),
    isEndpointFailing: row.is_failing,
  };
}

/** In batches and not by the statement that disables: an endpoint that failed for days may be owed any number of them. */
export async function missEvents(database: Queryable, limit: number): Promise<number> {
  const { rows } = await database.query({
    name: 'miss-events',
    text: `
      update webhook_events v set state = 'missed', due_at = null, check_at = null
       where v.event_id in (
               select o.event_id
                 from webhook_endpoints e join webhook_events o on o.partner_id = e.partner_id and o.state = 'owed'
                where e.disabled_at is not null
                limit $1
                  for update of o skip locked)
      returning v.event_id`,
    values: [limit],
  });
  return rows.length;
}
