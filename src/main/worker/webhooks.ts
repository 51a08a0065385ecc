// Webhooks in a worker: the activity and the poller that send events, with one set of slots for
// each endpoint.
import { createWebhookActivities, createWebhookSend } from '../../../activities';
import { sealingKeys } from '../../config/config';
import { createEndpointSlots, createEndpointSpeeds } from '../../domain/webhooks/endpoints';
import { createWebhookSender } from '../../http/webhook-sender';
import { createWebhookStore } from '../../postgres/webhooks/store';
import { createSecretSeal } from '../../signing/sealed-secret';
import { createWebhookPoller } from '../../temporal/webhook-poller';
import { withActivityInfo } from './activity-context';
import type { Loop, WorkerParts } from './parts';

export function createWebhooks(parts: WorkerParts) {
  const { config, database, log, around } = parts;
  const seal = createSecretSeal(...sealingKeys(config));
  const store = around('webhooks', createWebhookStore(database, seal));
  const slots = createEndpointSlots(config.WEBHOOKS_PER_ENDPOINT);
  const speeds = createEndpointSpeeds();
  const sending = {
    store,
    slots,
    speeds,
    sender: around('sender', createWebhookSender(parts.outbounds.partners)),
    clock: { now: () => new Date() },
    random: Math.random,
    metrics: parts.metrics,
    log: withActivityInfo(log),
  };
  const { client } = parts.temporal;
  const send = createWebhookSend(sending);
  const loops: readonly Loop[] = [createWebhookPoller({ client, store, slots, send, log })];
  return { activities: createWebhookActivities(sending), loops, speeds };
}
