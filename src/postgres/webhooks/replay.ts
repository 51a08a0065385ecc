// Replays of webhook events by operators (decision 19): the events become pending again, their
// schedule restarts, and their attempts stay. The caller's transaction locks the endpoint, so that
// it stays enabled until the events are pending.
import type { EventId } from '../../domain/ids';
import { WEBHOOK_EXPECTED_WITHIN_SECONDS } from '../../domain/limits';
import { readOne, readRows, type Queryable } from '../database';
import type { EndpointRow } from './endpoints';

type LockedEndpoint = Pick<EndpointRow, 'disabled_at' | 'disabled_reason'>;

/** Locks the endpoint: a transaction that disables it waits until this one ends. */
export async function lockEndpoint(
  connection: Queryable,
  partnerId: string,
): Promise<LockedEndpoint | undefined> {
  const [endpoint] = await readRows<LockedEndpoint>(connection, {
    text: `select disabled_at, disabled_reason from webhook_endpoints
            where partner_id = $1 for share`,
    values: [partnerId],
  });
  return endpoint;
}

const RESTART_SCHEDULE = `state = 'pending', due_at = service_now(),
                  attempts_replayed = v.attempts, finished_at = null,
                  lease = null, leased_until = null`;

/**
 * False while a worker sends the event: its lease is valid, or its row is being written. A locked
 * row is skipped and not waited for, since the transaction that locked it may wait for the endpoint
 * that this one has locked.
 */
export async function replayEvent(connection: Queryable, eventId: EventId): Promise<boolean> {
  const { rows } = await connection.query({
    text: `update webhook_events v
              set ${RESTART_SCHEDULE},
                  check_at = service_now() + interval '${String(WEBHOOK_EXPECTED_WITHIN_SECONDS)} s'
             from (select event_id from webhook_events e
                    where event_id = $1 and (leased_until is null or leased_until <= service_now())
                      for update skip locked) as free
            where v.event_id = free.event_id
           returning v.event_id`,
    values: [eventId],
  });
  return rows.length === 1;
}

type UnsentState = 'skipped' | 'exhausted';

export interface UnsentEvents {
  readonly partnerId: string;
  readonly state: UnsentState;
  /**
   * Only events that became exhausted, or were skipped and created or last attempted, at or after
   * this time. Undefined is any time.
   */
  readonly since: Date | undefined;
}

/** The last event of a batch, in order of creation. */
export interface ReplayCursor {
  readonly createdAt: string;
  readonly eventId: string;
}

interface ReplayedBatch {
  readonly replayed: number;
  /** Events that were left because they became unsent before that time. */
  readonly older: number;
  /** Events that were left unchanged because a worker sends them. */
  readonly underWay: number;
  /** Null when there are no more. */
  readonly next: ReplayCursor | null;
}

export const REPLAY_FROM_THE_FIRST: ReplayCursor = { createdAt: '-infinity', eventId: '' };
/**
 * The events that one statement reads, whether it replays them or not: it takes a few hundredths of
 * a second.
 */
const EVENTS_PER_BATCH = 500;

/**
 * Replays a batch of events. The webhook poller sends them as fast as the endpoint accepts them.
 */
export function replayBatch(
  connection: Queryable,
  { partnerId, state, since }: UnsentEvents,
  from: ReplayCursor,
): Promise<ReplayedBatch> {
  return readOne(connection, {
    text: replayStatement(state),
    values: [partnerId, since, from.createdAt, from.eventId],
  });
}

/**
 * The state is written out, so that Postgres uses the partial index of unsent events. The next page
 * begins after the last row of a page that is full.
 */
function replayStatement(state: UnsentState): string {
  return `
    with page as materialized (
      select v.event_id, v.created_at,
             coalesce(v.finished_at, greatest(v.created_at, a.started_at)) as unsent_since
        from webhook_events v
        left join webhook_attempts a on a.event_id = v.event_id and a.attempt = v.attempts
       where v.state = '${state}' and v.partner_id = $1
         and (v.created_at, v.event_id) > ($3::timestamptz, $4)
       order by v.created_at, v.event_id
       limit ${String(EVENTS_PER_BATCH)}
    ),
    matching as (
      select event_id from page where $2::timestamptz is null or unsent_since >= $2
    ),
    free as (
      select v.event_id from webhook_events v join matching m on m.event_id = v.event_id
       where v.state = '${state}' and (v.leased_until is null or v.leased_until <= service_now())
         for update of v skip locked
    ),
    replayed as (
      update webhook_events v set ${RESTART_SCHEDULE}, check_at = service_now()
        from free where v.event_id = free.event_id
      returning v.event_id
    )
    select (select count(*) from replayed) as replayed,
           (select count(*) from page) - (select count(*) from matching) as older,
           (select count(*) from matching) - (select count(*) from replayed) as "underWay",
           (select json_build_object('createdAt', created_at::text, 'eventId', event_id)
              from page order by created_at, event_id
            offset ${String(EVENTS_PER_BATCH - 1)}) as next`;
}
