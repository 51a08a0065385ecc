// Endpoints as operations see them: how they stand, and how many events wait for what. No secret is selected.
import type { Queryable } from '../database';

export interface EndpointRow {
  readonly partner_id: string;
  readonly url: string;
  readonly event_types: readonly string[];
  /** The first attempt that failed since one was taken last. */
  readonly failing_since: Date | null;
  /** For how long it has failed, by the database's clock. */
  readonly failing_seconds: number | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: string | null;
  /** Until when the secret before the last rotation signs too; null when it does not. */
  readonly previous_until: Date | null;
  readonly pending: number;
  readonly skipped: number;
  readonly exhausted: number;
}

/** Counts end here, so that a list costs the same beside a million events that nobody took. */
export const EVENTS_COUNTED_AT_MOST = 10_000;

/** In the order of partner ids, or the one of that partner. */
export async function readEndpoints(
  database: Queryable,
  partnerId?: string,
): Promise<readonly EndpointRow[]> {
  const { rows } = await database.query<EndpointRow>({
    text: ENDPOINTS,
    values: [partnerId ?? null],
  });
  return rows;
}

/** The states are written out: a partial index is used for no state that comes as a parameter. */
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
