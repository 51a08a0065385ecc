// Webhook events and their endpoints as rows (decisions 17 to 19).
import { WEBHOOK_LEFT_ALONE_SECONDS } from '../domain/limits';
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

/** Of an event `v`, by a `clock`: it is owed, its own run has left it alone, and nobody sends it. */
export const WAITS_UNSENT = `v.state = 'owed'
                       and v.due_at <= clock.now - interval '${String(WEBHOOK_LEFT_ALONE_SECONDS)} s'
                       and (v.leased_until is null or v.leased_until <= clock.now)`;

export function toDelivery([
  eventId,
  body,
  attempts,
  attemptsReplayed,
]: EventMember): WebhookDelivery {
  return { eventId: knownEventId(eventId), body, attempts, attemptsReplayed };
}
