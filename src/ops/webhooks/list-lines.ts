// `payctl webhooks list` (docs/operations.md): how every endpoint stands, or the newest events of one.
import type { Queryable } from '../../postgres/database';
import {
  listWebhookEvents,
  type ListedEventRow,
  type WebhookEventRow,
  type WebhookEventFilter,
} from '../../postgres/reports/webhook-story';
import { shortType, toNotedRow, type ShownEndpoint } from './endpoint-view';
import { requirePartner } from '../partners/known-partner';
import { notedTableLines, toTheSecond } from '../layout';

export function endpointListLines(endpoints: readonly ShownEndpoint[]): readonly string[] {
  if (endpoints.length === 0) return ['No partner has a webhook endpoint.'];
  return notedTableLines(endpoints.map(toNotedRow));
}

/** What programs script against. */
export interface ListedEvent extends Omit<WebhookEventRow, 'due_at'> {
  readonly next_attempt_at: Date | null;
  readonly last_attempt: LastAttempt | null;
}

interface LastAttempt {
  readonly started_at: Date;
  /** Null when no answer came; `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
}

/** Newest first. @throws Rejection when there is no such partner */
export async function findWebhookEvents(
  database: Queryable,
  filter: WebhookEventFilter,
): Promise<readonly ListedEvent[]> {
  await requirePartner(database, filter.partnerId);
  return (await listWebhookEvents(database, filter)).map(toListed);
}

function toListed(row: ListedEventRow): ListedEvent {
  const { due_at, attempt_count, last_at, last_status: status, last_error: error, ...event } = row;
  const last = last_at === null ? null : { started_at: last_at, status, error };
  return { ...event, next_attempt_at: due_at, attempt_count, last_attempt: last };
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
