// One webhook event with its attempts, and the newest events of a partner, for operators. Neither a
// partner's answer nor the body is selected.
import type { EventId } from '../../domain/ids';
import { readRows, type Queryable } from '../database';
import type { AttemptRow, EventRow } from './intent-story';
import { readNewestFirst } from './newest-first';

export const WEBHOOK_STATES = ['pending', 'delivered', 'exhausted', 'skipped'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface WebhookEventRow extends Omit<EventRow, 'is_endpoint_disabled'> {
  readonly intent_id: string;
  readonly partner_id: string;
  readonly state: WebhookState;
}

const COLUMNS = `v.event_id, v.intent_id, v.partner_id, v.type, v.state, v.created_at,
                  v.finished_at, v.due_at, v.attempts as attempt_count`;

export async function readWebhookEvent(
  database: Queryable,
  eventId: EventId,
): Promise<WebhookEventRow | undefined> {
  const [event] = await readRows<WebhookEventRow>(database, {
    text: `select ${COLUMNS} from webhook_events v where v.event_id = $1`,
    values: [eventId],
  });
  return event;
}

/** The attempts of an event, oldest first. */
export function readWebhookAttempts(
  database: Queryable,
  eventId: EventId,
): Promise<readonly Omit<AttemptRow, 'event_id'>[]> {
  return readRows(database, {
    text: `select attempt, started_at, duration_ms, status, error
             from webhook_attempts where event_id = $1 order by attempt`,
    values: [eventId],
  });
}

export interface ListedEventRow extends WebhookEventRow {
  /** The last finished attempt; all three are null before the first one. */
  readonly last_at: Date | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

export interface WebhookEventFilter {
  readonly partnerId: string;
  readonly state?: WebhookState | undefined;
  readonly limit: number;
}

const BEYOND_EVERY_ID = `evt_${'z'.repeat(26)}`;
const FIRST_ID = `evt_${'0'.repeat(26)}`;

const LISTED = `select ${COLUMNS},
                  a.started_at as last_at, a.status as last_status, a.error as last_error
             from webhook_events v
             left join webhook_attempts a on a.event_id = v.event_id and a.attempt = v.attempts`;

/** The events of a partner, newest first. */
export function listWebhookEvents(
  database: Queryable,
  filter: WebhookEventFilter,
): Promise<readonly ListedEventRow[]> {
  const { state, limit } = filter;
  if (state !== undefined && state !== 'delivered') return listByIndex(database, filter, state);
  const order = {
    table: 'webhook_events',
    column: 'event_id',
    beyond: BEYOND_EVERY_ID,
    oldest: FIRST_ID,
    limit,
  } as const;
  return readNewestFirst(database, order, (page) =>
    readRows<ListedEventRow>(database, {
      text: `${LISTED}
              where v.event_id < $1 and v.event_id >= $2 and v.partner_id = $3
                and ($4::text is null or v.state = $4)
              order by v.event_id desc
              limit $5`,
      values: [page.before, page.from, filter.partnerId, state, page.limit],
    }),
  );
}

/**
 * Events that are not delivered are in partial indexes, which Postgres does not use for a state
 * that is a parameter. So the state is written out.
 */
function listByIndex(
  database: Queryable,
  { partnerId, limit }: WebhookEventFilter,
  state: Exclude<WebhookState, 'delivered'>,
): Promise<readonly ListedEventRow[]> {
  return readRows(database, {
    text: `${LISTED}
            where v.partner_id = $1 and v.state = '${state}'
            order by v.created_at desc, v.event_id desc
            limit $2`,
    values: [partnerId, limit],
  });
}
