// `payctl webhooks list` (docs/operations.md): how every endpoint stands, or the newest events of one.
import type { Queryable } from '../postgres/database';
import {
  listWebhookEvents,
  type ListedEventRow,
  type WebhookEventFilter,
} from '../postgres/webhook-story';
import { shortType, toNotedRow, type ShownEndpoint } from './endpoint-view';
import { requirePartner } from './known-partner';
import { notedTableLines, toTheSecond } from './layout';

export function endpointListLines(endpoints: readonly ShownEndpoint[]): readonly string[] {
  if (endpoints.length === 0) return ['No partner has a webhook endpoint.'];
  return notedTableLines(endpoints.map(toNotedRow));
}

/** What programs script against. */
export interface ListedEvent {
  readonly event_id: string;
  readonly intent_id: string;
  readonly partner_id: string;
  readonly type: string;
  readonly state: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly attempt_count: number;
  readonly last_attempt: LastAttempt | null;
}

interface LastAttempt {
  readonly started_at: Date;
  /** Null when no answer came; `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
}

/** Newest first. @throws Refusal when there is no such partner */
export async function findWebhookEvents(
  database: Queryable,
  filter: WebhookEventFilter,
): Promise<readonly ListedEvent[]> {
  await requirePartner(database, filter.partnerId);
  return (await listWebhookEvents(database, filter)).map(toListed);
}

function toListed(row: ListedEventRow): ListedEvent {
  return {
    event_id: row.event_id,
    intent_id: row.intent_id,
    partner_id: row.partner_id,
    type: row.type,
    state: row.state,
    created_at: row.created_at,
    finished_at: row.finished_at,
    next_attempt_at: row.due_at,
    attempt_count: row.attempt_count,
    last_attempt:
      row.last_at === null
        ? null
        : { started_at: row.last_at, status: row.last_status, error: row.last_error },
  };
}

/** Below an event stands whose it is and how the last attempt went: both ids in one row would be too wide. */
export function eventListLines(events: readonly ListedEvent[]): readonly string[] {
  if (events.length === 0) return ['There is no such event.'];
  return notedTableLines(
    events.map((event) => ({
      row: {
        event: event.event_id,
        type: shortType(event.type),
        state: event.state.replace('_', ' '),
        attempts: event.attempt_count,
        'next attempt': event.next_attempt_at === null ? null : toTheSecond(event.next_attempt_at),
      },
      notes: [`of ${event.intent_id}${lastOf(event)}`],
    })),
  );
}

function lastOf({ last_attempt: last }: ListedEvent): string {
  if (last === null) return ', not attempted yet';
  const how = last.status === null ? (last.error ?? 'no answer') : String(last.status);
  return `, last attempt at ${toTheSecond(last.started_at)}: ${how}`;
}
