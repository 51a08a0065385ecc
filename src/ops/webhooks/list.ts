// `payctl webhooks list`: the state of all endpoints, or the newest events of one partner.
import type { Queryable } from '../../postgres/database';
import type { AttemptRow } from '../../postgres/reports/intent-story';
import {
  listWebhookEvents,
  WEBHOOK_STATES,
  type ListedEventRow,
  type WebhookEventFilter,
  type WebhookEventRow,
  type WebhookState,
} from '../../postgres/reports/webhook-story';
import { readEndpoints } from '../../postgres/webhooks/endpoints';
import { notedTableLines, toTheSecond } from '../layout';
import { LIMIT } from '../option-values';
import { requirePartner } from '../partners/known-partner';
import { BadOption } from '../rejection';
import { option, verb } from '../verb';
import { endpointListLines, shortType, toShownEndpoint } from './endpoint-view';

interface ListOptions {
  readonly state?: WebhookState;
  readonly limit: number;
}

export const list = verb('list [partner]', {
  does: 'List the webhook endpoints, each with how many events are pending, skipped and exhausted. With a partner: its newest events, each with its last attempt.',
  options: [option('--state <state>', 'only events in this state').choices(WEBHOOK_STATES), LIMIT],
  work(partnerId: string | undefined, { state, limit }: ListOptions) {
    if (partnerId === undefined && state !== undefined) {
      throw new BadOption('--state is about the events of one partner: name the partner.');
    }
    return async ({ database }) =>
      partnerId === undefined
        ? { endpoints: (await readEndpoints(database)).map(toShownEndpoint) }
        : { events: await findWebhookEvents(database, { partnerId, state, limit }) };
  },
  json: ({ endpoints, events }) => endpoints ?? events,
  lines: ({ endpoints, events }) =>
    endpoints === undefined ? eventListLines(events) : endpointListLines(endpoints),
});

/** The JSON shape that programs rely on. */
interface ListedEvent extends Omit<WebhookEventRow, 'due_at'> {
  readonly next_attempt_at: Date | null;
  readonly last_attempt: Pick<AttemptRow, 'started_at' | 'status' | 'error'> | null;
}

/** Newest first. @throws Rejection if there is no such partner */
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

/** The intent id and the last attempt go below each event: one row would be too wide. */
function eventListLines(events: readonly ListedEvent[]): readonly string[] {
  if (events.length === 0) return ['There is no such event.'];
  return notedTableLines(
    events.map((event) => ({
      row: {
        event: event.event_id,
        type: shortType(event.type),
        state: event.state,
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
