// Webhooks over a real Temporal server, in a separate namespace, with a given number of worker
// slots.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createWebhookActivities, type WebhookActivities } from '../../../activities';
import { createEndpointSlots, createEndpointSpeeds } from '../../../src/domain/webhooks/endpoints';
import { createOutbound, type Outbound } from '../../../src/http/outbound';
import { createWebhookSender } from '../../../src/http/webhook-sender';
import type { Log } from '../../../src/ports/observe';
import type { WebhookSender } from '../../../src/ports/webhooks';
import { connectTemporal } from '../../../src/temporal/connection';
import { registerNamespace } from '../../../src/temporal/namespace';
import { PAYMENTS_QUEUE, WEBHOOKS_QUEUE } from '../../../workflows/messages/messages';
import { openTestBed, type TestBed } from '../builders';
import { SILENT } from '../silent-log';
import { temporalAddress } from '../servers/temporal-address';
import { bundledWorkflows, createWorkerOnThisThread } from '../programs/workflow-bundle';

const NAMESPACE_TRIES = 60;

export interface WebhookLiveWorld {
  readonly bed: TestBed;
  readonly client: Client;
}

interface LiveOptions {
  /** Number of webhooks that the worker sends at a time. */
  readonly slots: number;
  /** Ends hanging requests before the workers stop. */
  readonly release: () => void;
}

/** Runs the work in a new world and closes the world afterwards, even if the work failed. */
export async function inLiveWebhooks(
  options: LiveOptions,
  work: (world: WebhookLiveWorld) => Promise<void>,
): Promise<void> {
  const namespace = `webhooks-${randomUUID()}`;
  const client = connectTemporal({ address: temporalAddress(), namespace });
  await registerNamespace(client, namespace, NAMESPACE_TRIES);
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const bed = await openTestBed({ poolSize: 16 });
  const outbound = createOutbound();
  const { slots, release } = options;
  const shared = { connection, namespace };
  const payments = await createWorkerOnThisThread({
    ...shared,
    workflowBundle: await bundledWorkflows(),
    taskQueue: PAYMENTS_QUEUE,
  });
  const webhooks = await createWebhookWorker(bed, outbound, { ...shared, slots });
  try {
    await payments.runUntil(webhooks.runUntil(work({ bed, client }).finally(release)));
  } finally {
    await Promise.all([outbound.close(), client.connection.close(), bed.close()]);
    await connection.close();
  }
}

/** The webhook activities over the bed's store, with the real schedule. */
export function webhookActivitiesOf(
  bed: TestBed,
  sender: WebhookSender,
  log: Log = SILENT,
): WebhookActivities {
  return createWebhookActivities({
    store: bed.webhooks,
    sender,
    clock: bed.clock,
    random: () => 0.5,
    metrics: { webhookAttempted: () => undefined },
    log,
    slots: createEndpointSlots(16),
    speeds: createEndpointSpeeds(),
  });
}

interface WebhookWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly slots: number;
}

/** A worker of the webhook queue with the real store, schedule and sender. */
export function createWebhookWorker(
  bed: TestBed,
  outbound: Outbound,
  { slots, ...shared }: WebhookWorkerOptions,
): Promise<Worker> {
  const { deliverWebhook } = webhookActivitiesOf(bed, createWebhookSender(outbound));
  return Worker.create({
    ...shared,
    taskQueue: WEBHOOKS_QUEUE,
    maxConcurrentActivityTaskExecutions: slots,
    activities: { deliverWebhook },
  });
}
