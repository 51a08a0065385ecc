// An endpoint as `payctl` shows it: to programs as members, to people as a row with what is to be said about it.
import { WEBHOOK_EVENT_TYPES_BY_DEFAULT } from '../../domain/webhooks/event';
import {
  EVENTS_COUNTED_AT_MOST,
  readEndpoints,
  type EndpointRow,
} from '../../postgres/webhooks/endpoints';
import type { Queryable } from '../../postgres/database';
import { roughly, toTheSecond, type NotedRow } from '../layout';
import { Rejection } from '../rejection';

type EndpointState = 'active' | 'failing' | 'disabled';

/** What programs script against. */
export interface ShownEndpoint extends EndpointRow {
  readonly state: EndpointState;
}

/** @throws Rejection when the partner has none */
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

export function toNotedRow(row: ShownEndpoint): NotedRow {
  return {
    row: {
      partner: row.partner_id,
      state: row.state,
      pending: counted(row.pending),
      skipped: counted(row.skipped),
      'given up': counted(row.exhausted),
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
      : [`fails for ${roughly(failing_seconds ?? 0)}, since ${toTheSecond(failing_since)}`]),
    ...(also.length === 0 ? [] : [`told of ${also.join(' and ')} too`]),
    ...(previous_until === null
      ? []
      : [`the secret before the last rotation signs too until ${toTheSecond(previous_until)}`]),
  ];
}

/** `expired` and `cancelled`, where the partner asked for them (decision 17). */
export function extraEvents(eventTypes: readonly string[]): readonly string[] {
  const usual: readonly string[] = WEBHOOK_EVENT_TYPES_BY_DEFAULT;
  return eventTypes.filter((type) => !usual.includes(type)).map(shortType);
}

/** `captured` of `payment_intent.captured`. */
export function shortType(type: string): string {
  return type.replace(/^payment_intent\./, '');
}

export function counted(events: number): string {
  return events < EVENTS_COUNTED_AT_MOST ? String(events) : `${EVENTS_COUNTED_AT_MOST}+`;
}
