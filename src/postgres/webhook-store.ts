// Port webhook-store over Postgres. Its statements have files of their own: webhook-claim.ts, webhook-finish.ts.
import type { EventId } from '../domain/ids';
import type { WebhookStore } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { claimWaitingWebhooks, claimWebhook, readWaitingEndpoints } from './webhook-claim';
import { finishWebhook } from './webhook-finish';

export { webhookSecretOwner } from './webhook-claim';

export function createWebhookStore(database: Queryable, seal: SecretSeal): WebhookStore {
  return {
    claim: (eventId) => claimWebhook(database, seal, eventId),
    claimWaiting: (partnerId, limit) => claimWaitingWebhooks(database, seal, { partnerId, limit }),
    readWaiting: () => readWaitingEndpoints(database),
    leaveToPoller: (eventId) => leaveToPoller(database, eventId),
    finish: (event, attempt) => finishWebhook(database, event, attempt),
  };
}

async function leaveToPoller(database: Queryable, eventId: EventId): Promise<void> {
  await database.query({
    name: 'leave-webhook-to-poller',
    text: `update webhook_events set check_at = service_now()
            where event_id = $1 and state = 'owed' and due_at <= service_now() and check_at > service_now()`,
    values: [eventId],
  });
}
