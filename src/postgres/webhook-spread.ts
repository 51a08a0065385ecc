// Takes further places at an endpoint that has a backlog, with the events to be sent from them (decision 19), so that one
// holder drains it at the speed of the endpoint.
import {
  WEBHOOK_CHUNK_EVENTS,
  WEBHOOK_LEASE_SECONDS,
  WEBHOOK_LEFT_ALONE_SECONDS,
} from '../domain/limits';
import type { WebhookHolding, WebhookSpread } from '../ports/webhook-store';
import type { Queryable } from './database';
import { ENDPOINT_MARK, toDelivery, type EventMember } from './webhook-rows';

interface SpreadRow {
  readonly places: number;
  readonly events: readonly EventMember[];
}

export async function spreadWebhooks(
  database: Queryable,
  { partnerId, lease, mark }: WebhookHolding,
  places: number,
): Promise<WebhookSpread> {
  const { rows } = await database.query<SpreadRow>({
    name: 'spread-webhooks',
    text: SPREAD,
    values: [partnerId, places, lease, mark],
  });
  if (rows[0] === undefined) throw new Error('the database told nothing of further places');
  return { places: rows[0].places, events: rows[0].events.map(toDelivery) };
}

const LEASE = `interval '${String(WEBHOOK_LEASE_SECONDS)} s'`;

/** As in a claim, rows that others have locked are skipped. Of the free places no more are taken than there are events for. */
const SPREAD = `
  with clock as materialized (
    select service_now() as now
  ),
  free as materialized (
    select p.place
      from clock, webhook_places p
      join webhook_endpoints e on e.partner_id = p.partner_id and e.disabled_at is null and ${ENDPOINT_MARK} = $4
     where p.partner_id = $1 and p.leased_until <= clock.now
     limit $2
       for update of p skip locked
  ),
  further as materialized (
    select v.event_id
      from clock, webhook_events v
     where v.partner_id = $1 and v.state = 'owed'
       and v.due_at <= clock.now - interval '${String(WEBHOOK_LEFT_ALONE_SECONDS)} s'
       and (v.leased_until is null or v.leased_until <= clock.now)
     order by v.due_at
     limit (select count(*) * ${String(WEBHOOK_CHUNK_EVENTS)} from free)
       for update of v skip locked
  ),
  taken as (
    update webhook_places p set lease = $3, leased_until = clock.now + ${LEASE}
      from clock, (select place, row_number() over (order by place) as nth from free) as f
     where p.partner_id = $1 and p.place = f.place
       and (f.nth - 1) * ${String(WEBHOOK_CHUNK_EVENTS)} < (select count(*) from further)
    returning p.place
  ),
  leased as (
    update webhook_events v set lease = $3, leased_until = clock.now + ${LEASE}
      from further f, clock
     where v.event_id = f.event_id
    returning v.event_id, v.body, v.attempts, v.attempts_replayed
  )
  select (select count(*) from taken) as places,
         coalesce((select json_agg(json_build_array(event_id, body, attempts, attempts_replayed)) from leased), '[]') as events`;
