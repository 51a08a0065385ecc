// Takes further places at an endpoint that has a backlog (decision 19), so that one holder drains it at the speed of the
// endpoint. What is sent from them is taken by who finishes (webhook-finish-statement.ts).
import { WEBHOOK_CHUNK_EVENTS, WEBHOOK_LEASE_SECONDS } from '../domain/limits';
import type { WebhookHolding } from '../ports/webhook-store';
import type { Queryable } from './database';
import { ENDPOINT_MARK, WAITS_UNSENT } from './webhook-rows';

/** @returns how many were taken */
export async function takeWebhookPlaces(
  database: Queryable,
  { partnerId, lease, mark }: WebhookHolding,
  places: number,
): Promise<number> {
  const { rows } = await database.query({
    name: 'take-webhook-places',
    text: TAKE_PLACES,
    values: [partnerId, places, lease, mark],
  });
  return rows.length;
}

/**
 * As in a claim, rows that others have locked are skipped. Of the free places no more are taken than there are events for that
 * nobody has leased: who has all places is given no others, and who leaves some to others may take a lease over that ran out.
 */
const TAKE_PLACES = `
  with clock as materialized (
    select service_now() as now
  ),
  waiting as materialized (
    select w.event_id
      from clock,
           lateral (select v.event_id
                      from webhook_events v
                     where v.partner_id = $1 and ${WAITS_UNSENT} and v.lease is null
                     order by v.due_at
                     limit $2::integer * ${String(WEBHOOK_CHUNK_EVENTS)}) as w
  ),
  free as materialized (
    select p.place
      from clock, webhook_places p
      join webhook_endpoints e on e.partner_id = p.partner_id and e.disabled_at is null and ${ENDPOINT_MARK} = $4
     where p.partner_id = $1 and p.leased_until <= clock.now
     limit (select ceil(count(*) / ${String(WEBHOOK_CHUNK_EVENTS)}.0)::bigint from waiting)
       for update of p skip locked
  )
  update webhook_places p
     set lease = $3, leased_until = clock.now + interval '${String(WEBHOOK_LEASE_SECONDS)} s'
    from clock, free f
   where p.partner_id = $1 and p.place = f.place
  returning p.place`;
