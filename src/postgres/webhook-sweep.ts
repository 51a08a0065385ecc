// The webhook events that are not sent because their endpoint was disabled.
import type { Queryable } from './database';

/** In batches and not by the statement that disables: any number of events may be pending for an endpoint that failed for days. */
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
