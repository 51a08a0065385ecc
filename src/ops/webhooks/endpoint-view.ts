// A webhook endpoint as payctl shows it: JSON members for programs, a row with notes for people.
import { WEBHOOK_EVENT_TYPES_BY_DEFAULT } from '../../domain/webhooks/event';
import {
  EVENTS_COUNTED_AT_MOST,
  readEndpoints,
  type EndpointRow,
} from '../../postgres/webhooks/endpoints';
import type { Queryable } from '../../postgres/database';
import { command, notedTableLines, roughly, toTheSecond, type NotedRow } from '../layout';
import { Rejection } from '../rejection';

type EndpointState = 'active' | 'failing' | 'disabled';

/** The JSON shape that programs rely on. */
export interface ShownEndpoint extends EndpointRow {
  readonly state: EndpointState;
}

/** @throws Rejection if the partner has none */
export async function findEndpoint(database: Queryable, partnerId: string): Promise<ShownEndpoint> {
  const [endpoint] = await readEndpoints(database, partnerId);
  if (endpoint === undefined) throw noEndpoint(partnerId);
  return toShownEndpoint(endpoint);
}

export function noEndpoint(partnerId: string): Rejection {
  return new Rejection(
    `Partner ${partnerId} has no webhook endpoint. Make one: payctl webhooks set ${partnerId} --url URL.`,
  );
}

export function toShownEndpoint(row: EndpointRow): ShownEndpoint {
  const { partner_id, url, ...others } = row;
  return { partner_id, url, state: endpointState(row), ...others };
}

export function endpointState({
  disabled_at,
  failing_since,
}: Pick<EndpointRow, 'disabled_at' | 'failing_since'>): EndpointState {
  if (disabled_at !== null) return 'disabled';
  return failing_since === null ? 'active' : 'failing';
}

export function disabledSentence(partnerId: string, at: Date, reason: string | null): string {
  return `The endpoint of ${partnerId} has been disabled since ${toTheSecond(at)}, because: ${reason ?? '-'}.`;
}

export function endpointListLines(endpoints: readonly ShownEndpoint[]): readonly string[] {
  if (endpoints.length === 0) return ['No partner has a webhook endpoint.'];
  return notedTableLines(endpoints.map(toNotedRow));
}

/** The events that the partner did not get, and the command that sends them. */
export function unsentSentences({
  partner_id: partner,
  skipped,
  exhausted,
}: ShownEndpoint): readonly string[] {
  if (skipped + exhausted === 0) return ['No event is skipped or exhausted.'];
  return [
    `Events skipped: ${counted(skipped)}, exhausted: ${counted(exhausted)}. To send them again:`,
    command(`payctl webhooks replay --partner ${partner}`),
  ];
}

export function toNotedRow(row: ShownEndpoint): NotedRow {
  return {
    row: {
      partner: row.partner_id,
      state: row.state,
      pending: counted(row.pending),
      skipped: counted(row.skipped),
      // A short heading: the row has a partner id of up to 63 characters.
      exhausted: counted(row.exhausted),
    },
    notes: [`to ${row.url}`, ...notesOf(row)],
  };
}

function notesOf(row: ShownEndpoint): readonly string[] {
  const { disabled_at, disabled_reason, failing_since, failing_seconds, previous_until } = row;
  const also = extraEvents(row.event_types);
  return [
    ...(disabled_at === null
      ? []
      : [`disabled since ${toTheSecond(disabled_at)}: ${disabled_reason ?? ''}`]),
    ...(disabled_at !== null || failing_since === null
      ? []
      : [`failing for ${roughly(failing_seconds ?? 0)}, since ${toTheSecond(failing_since)}`]),
    ...(also.length === 0 ? [] : [`also sent ${also.join(' and ')}`]),
    ...(previous_until === null
      ? []
      : [`the secret before the last rotation signs too until ${toTheSecond(previous_until)}`]),
  ];
}

/** `expired` and `cancelled`, if the partner requested them (decision 17). */
export function extraEvents(eventTypes: readonly string[]): readonly string[] {
  const usual: readonly string[] = WEBHOOK_EVENT_TYPES_BY_DEFAULT;
  return eventTypes.filter((type) => !usual.includes(type)).map(shortType);
}

/** `captured` for `payment_intent.captured`. */
export function shortType(type: string): string {
  return type.replace(/^payment_intent\./, '');
}

function counted(events: number): string {
  return events < EVENTS_COUNTED_AT_MOST ? String(events) : `${EVENTS_COUNTED_AT_MOST}+`;
}
