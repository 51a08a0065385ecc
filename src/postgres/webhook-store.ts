// Port webhook-store over Postgres. Its two statements have files of their own: webhook-claim.ts, webhook-finish.ts.
import type { WebhookStore } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { claimWebhook } from './webhook-claim';
import { finishWebhooks } from './webhook-finish';

export { webhookSecretOwner } from './webhook-rows';

export function createWebhookStore(database: Queryable, seal: SecretSeal): WebhookStore {
  return {
    claim: (eventId) => claimWebhook(database, seal, eventId),
    finish: (holding, attempts, wanted) =>
      finishWebhooks(database, seal, { holding, attempts, wanted }),
  };
}
