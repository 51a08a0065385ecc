// Webhook events made owed again by operations (decision 19): their schedule begins anew, and the attempts that were made
// stay. The caller's transaction holds the endpoint, so that it stays enabled until the events are owed.
import type { EventId } from '../../domain/ids';
import { WEBHOOK_EXPECTED_WITHIN_SECONDS } from '../../domain/limits';
import type { Queryable } from '../database';

export interface HeldEndpoint {
  readonly url: string;
  readonly disabled_at: Date | null;
  readonly disabled_reason: string | null;
}

/** Whoever disables it waits until this transaction ends. */
export async function holdEndpoint(
  connection: Queryable,
  partnerId: string,
): Promise<HeldEndpoint | undefined> {
  const { rows } = await connection.query<HeldEndpoint>({
    text: `select url, disabled_at, disabled_reason from webhook_endpoints where partner_id = $1 for share`,
    values: [partnerId],
  });
  return rows[0];
}

const BEGIN_ANEW = `state = 'pending', due_at = service_now(), attempts_replayed = v.attempts, finished_at = null,
                  lease = null, leased_until = null`;

/**
 * False while somebody sends it: its lease is not over, or its row is being written at this very moment. A row that is locked is skipped and not waited for, since whoever holds it may wait for the endpoint that
 * this transaction holds.
 */
export async function replayEvent(connection: Queryable, eventId: EventId): Promise<boolean> {
  const { rows } = await connection.query({
    text: `update webhook_events v
              set ${BEGIN_ANEW},
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

export type LostState = 'skipped' | 'exhausted';

export interface LostEvents {
  readonly partnerId: string;
  readonly state: LostState;
  /** Given up at or after it, or missed and written or last attempted then; undefined is at any time. */
  readonly since: Date | undefined;
}

/** Where a batch ended: the order is that of creation. */
export interface ReplayCursor {
  readonly createdAt: string;
  readonly eventId: string;
}

export interface ReplayedBatch {
  readonly replayed: number;
  /** Left as they are, since somebody sends them. */
  readonly underWay: number;
  /** Undefined when there are no more. */
  readonly next: ReplayCursor | undefined;
}

export const REPLAY_FROM_THE_FIRST: ReplayCursor = { createdAt: '-infinity', eventId: '' };
/** Looked at in one statement, whether they are replayed or not: a few hundredths of a second. */
const EVENTS_PER_BATCH = 500;

interface BatchRow {
  readonly looked_at: number;
  readonly wanted: number;
  readonly replayed: number;
  readonly last_created_at: string | null;
  readonly last_event_id: string | null;
}

/** The poller sends these, as fast as the endpoint takes them. */
export async function replayBatch(
  connection: Queryable,
  { partnerId, state, since }: LostEvents,
  from: ReplayCursor,
): Promise<ReplayedBatch> {
  const { rows } = await connection.query<BatchRow>({
    text: replayStatement(state),
    values: [partnerId, since ?? null, from.createdAt, from.eventId],
  });
  const [batch] = rows;
  if (batch === undefined) throw new Error('a replay told no counts');
  return {
    replayed: batch.replayed,
    underWay: batch.wanted - batch.replayed,
    next: cursorAfter(batch),
  };
}

function cursorAfter(batch: BatchRow): ReplayCursor | undefined {
  const { looked_at, last_created_at: createdAt, last_event_id: eventId } = batch;
  if (looked_at < EVENTS_PER_BATCH || createdAt === null || eventId === null) return undefined;
  return { createdAt, eventId };
}

/** The state is written out, so that the partial index of what was not taken serves. */
function replayStatement(state: LostState): string {
  return `
    with page as materialized (
      select v.event_id, v.created_at, coalesce(v.finished_at, greatest(v.created_at, a.started_at)) as lost_at
        from webhook_events v
        left join webhook_attempts a on a.event_id = v.event_id and a.attempt = v.attempts
       where v.state = '${state}' and v.partner_id = $1 and (v.created_at, v.event_id) > ($3::timestamptz, $4)
       order by v.created_at, v.event_id
       limit ${String(EVENTS_PER_BATCH)}
    ),
    wanted as (
      select event_id from page where $2::timestamptz is null or lost_at >= $2
    ),
    free as (
      select v.event_id from webhook_events v join wanted w on w.event_id = v.event_id
       where v.state = '${state}' and (v.leased_until is null or v.leased_until <= service_now())
         for update of v skip locked
    ),
    replayed as (
      update webhook_events v set ${BEGIN_ANEW}, check_at = service_now()
        from free where v.event_id = free.event_id
      returning v.event_id
    )
    select (select count(*) from page) as looked_at, (select count(*) from wanted) as wanted,
           (select count(*) from replayed) as replayed,
           (select max(created_at)::text from page) as last_created_at,
           (select event_id from page order by created_at desc, event_id desc limit 1) as last_event_id`;
}
