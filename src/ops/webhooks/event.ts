// One webhook event as `payctl webhooks replay` shows it: an event of a payment's story, with its
// intent and partner.
import { parseEventId, type EventId } from '../../domain/ids';
import type { Queryable } from '../../postgres/database';
import { readWebhookAttempts, readWebhookEvent } from '../../postgres/reports/webhook-story';
import type { StoryEvent } from '../intents/story';
import { Rejection } from '../rejection';

/** The JSON shape that programs rely on. */
export interface ShownWebhookEvent extends StoryEvent {
  readonly event_id: EventId;
  readonly intent_id: string;
  readonly partner_id: string;
}

/** @throws Rejection if the text is no event id */
export function requireEventId(text: string): EventId {
  const eventId = parseEventId(text);
  if (eventId !== undefined) return eventId;
  throw new Rejection(
    `"${text}" is not an event id. Expected evt_ and 26 characters of 0-9 and a-z, without i, l, o and u.`,
  );
}

/** @throws Rejection if there is no such event */
export async function findWebhookEvent(
  database: Queryable,
  eventId: EventId,
): Promise<ShownWebhookEvent> {
  // In this order, so that no attempt is shown beside an event row that does not count it yet.
  const attempts = await readWebhookAttempts(database, eventId);
  const event = await readWebhookEvent(database, eventId);
  if (event === undefined) throw new Rejection(`There is no event ${eventId}.`);
  const { intent_id, partner_id, type, state, created_at, finished_at, due_at } = event;
  const shown = { intent_id, partner_id, type, state, created_at, finished_at };
  return { event_id: eventId, ...shown, next_attempt_at: due_at, attempts };
}
