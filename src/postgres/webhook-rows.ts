// Webhook events and their endpoints as rows (decisions 17 to 19).
import type { WebhookDelivery } from '../ports/webhook-store';
import { knownEventId } from './intent-row';

/** event_id, body, attempts and attempts_replayed: in an array, as statements collect many of them. */
export type EventMember = readonly [string, string, number, number];

/** What the secret of a partner's webhooks is sealed for. */
export function webhookSecretOwner(partnerId: string): string {
  return `webhook:${partnerId}`;
}

/** Of the endpoint `e`: another text once its address or its secrets are others. */
export const ENDPOINT_MARK = `md5(e.url || encode(e.secret_sealed, 'hex') || coalesce(e.previous_until::text, ''))`;

export function toDelivery([
  eventId,
  body,
  attempts,
  attemptsReplayed,
]: EventMember): WebhookDelivery {
  return { eventId: knownEventId(eventId), body, attempts, attemptsReplayed };
}
