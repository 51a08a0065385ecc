// Webhook endpoints for operators: their current state, and how many events are in each state. No
// secret is selected.
import { readRows, type Queryable } from '../database';

export interface EndpointRow {
  readonly partner_id: string;
  readonly url: string;
  readonly event_types: readonly string[];
  /**
   * When the first attempt failed since the last accepted one; null if the last attempt was
   * accepted.
   */
  readonly failing_since: Date | null;
  /** How long it has been failing, by the database's clock. */
  readonly failing_seconds: number | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: string | null;
  /** Until when the secret before the last rotation also signs; null if it does not. */
  readonly previous_until: Date | null;
  readonly pending: number;
  readonly skipped: number;
  readonly exhausted: number;
}

/** Counts stop here, so that a list costs the same beside a million undelivered events. */
export const EVENTS_COUNTED_AT_MOST = 10_000;

/** All endpoints in the order of partner ids, or the one of that partner. */
export function readEndpoints(
  database: Queryable,
  partnerId?: string,
): Promise<readonly EndpointRow[]> {
  return readRows(database, { text: ENDPOINTS, values: [partnerId ?? null] });
}

/**
 * The states are written out, since Postgres does not use a partial index for a state that is a
 * parameter.
 */
const counted = (state: 'pending' | 'skipped' | 'exhausted') => `
       (select count(*) from (select from webhook_events v
                               where v.partner_id = e.partner_id and v.state = '${state}'
                               limit ${EVENTS_COUNTED_AT_MOST}) as found) as ${state}`;

const ENDPOINTS = `
  with clock as materialized (
    select service_now() as now
  )
  select e.partner_id, e.url, e.event_types, e.failing_since, e.disabled_at, e.disabled_reason,
         floor(extract(epoch from clock.now - e.failing_since))::bigint as failing_seconds,
         case when e.previous_until > clock.now then e.previous_until end as previous_until,
         ${counted('pending')}, ${counted('skipped')}, ${counted('exhausted')}
    from webhook_endpoints e, clock
   where $1::text is null or e.partner_id = $1
   order by e.partner_id`;
