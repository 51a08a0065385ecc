// Port webhook-store over Postgres. Its statements have files of their own: webhook-claim.ts, webhook-finish.ts.
import type { WebhookStore } from '../ports/webhook-store';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { claimWebhook } from './webhook-claim';
import { takeWebhookPlaces } from './webhook-places';
import { createWebhookRecorder } from './webhook-recorder';

export { webhookSecretOwner } from './webhook-rows';

export function createWebhookStore(database: Queryable, seal: SecretSeal): WebhookStore {
  const recorder = createWebhookRecorder(database);
  return {
    claim: (eventId) => claimWebhook(database, seal, eventId),
    takePlaces: (holding, places) => takeWebhookPlaces(database, holding, places),
    finish: (holding, record) => recorder.finish({ holding, record }),
  };
}
