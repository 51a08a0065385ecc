// The SDK's workers of a worker process: payments, the payouts of each corridor, the restore watch
// and webhooks, each with its own queue and slots.
import { Worker } from '@temporalio/worker';
import type { PaymentActivities, WebhookActivities } from '../../../activities';
import {
  PAYMENTS_QUEUE,
  payoutsQueue,
  RESTORE_WATCH_QUEUE,
  WEBHOOKS_QUEUE,
} from '../../../workflows/messages/messages';
import { CORRIDORS } from '../../corridors/names';
import { WEBHOOKS_IN_TASKS_MAX } from '../../domain/limits';
import { PAYOUT_SLOTS, PAYOUTS_IN_TASKS_MAX } from '../../domain/payouts/limits';
import { dataConverterOf } from '../../temporal/payload-codec';
import { HEARTBEAT_EVERY_MS } from './activity-context';
import { SHUTDOWN_GRACE_MS } from './outbounds';
import type { WorkerParts } from './parts';
import { workerVersion } from './version';
import { workflowCode } from './workflow-code';

const PAYOUT_QUEUES = CORRIDORS.map(payoutsQueue);
export const QUEUES = [PAYMENTS_QUEUE, ...PAYOUT_QUEUES, RESTORE_WATCH_QUEUE, WEBHOOKS_QUEUE];

/**
 * Temporal offers the workflows that a killed worker has cached to other workers after this time.
 * The SDK's default of 10 s would delay each of their payments.
 */
const STICKY_TIMEOUT = '2 s';
/**
 * An endpoint that never answers holds at most WEBHOOKS_PER_ENDPOINT of them, so that webhooks to
 * other endpoints go on.
 */
const WEBHOOK_SLOTS = 200;
/**
 * A workflow task holds its slot while it pays out or sends a webhook. The shares of all corridors
 * and of webhooks leave 50 slots for other tasks. A task runs one local activity at a time, and its
 * workflow is cached.
 */
const WORKFLOW_TASK_SLOTS = 2 * WEBHOOKS_IN_TASKS_MAX + CORRIDORS.length * PAYOUTS_IN_TASKS_MAX;
/** The restore watch is one workflow at a time, so its cache and its threads are small too. */
const WATCH_SLOTS = {
  maxCachedWorkflows: 2,
  workflowThreadPoolSize: 1,
  maxConcurrentWorkflowTaskExecutions: 2,
  maxConcurrentLocalActivityExecutions: 2,
  maxConcurrentActivityTaskExecutions: 1,
};

interface Activities {
  readonly payments: PaymentActivities;
  readonly webhooks: WebhookActivities;
}

/**
 * Workers in one process, each with its own slots: a slow partner delays no payment, a slow
 * provider no other corridor, and no number of payments the restore watch.
 */
export async function createWorkers(
  { config, temporal, tracing }: WorkerParts,
  { payments, webhooks }: Activities,
): Promise<Worker[]> {
  const shared = {
    connection: temporal.connection,
    namespace: config.temporal.namespace,
    dataConverter: dataConverterOf(config.temporal),
    ...tracing.worker,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    // Activities have no heartbeat timeout: their heartbeats fetch the cancellation, so none of
    // them is throttled.
    defaultHeartbeatThrottleInterval: HEARTBEAT_EVERY_MS,
  };
  const workflows = {
    ...shared,
    workflowBundle: await workflowCode(config.WORKFLOW_BUNDLE),
    ...workerVersion(config.WORKER_BUILD_ID),
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    activities: { ...payments, ...webhooks },
  };
  return Promise.all([
    Worker.create({
      ...workflows,
      taskQueue: PAYMENTS_QUEUE,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
      maxConcurrentLocalActivityExecutions: WORKFLOW_TASK_SLOTS,
      maxCachedWorkflows: 2 * WORKFLOW_TASK_SLOTS,
    }),
    ...PAYOUT_QUEUES.map((taskQueue) =>
      Worker.create({
        ...{ ...shared, ...workerVersion(config.WORKER_BUILD_ID), taskQueue },
        maxConcurrentActivityTaskExecutions: PAYOUT_SLOTS,
        activities: { ...payments },
      }),
    ),
    Worker.create({ ...workflows, ...WATCH_SLOTS, taskQueue: RESTORE_WATCH_QUEUE }),
    Worker.create({
      ...shared,
      taskQueue: WEBHOOKS_QUEUE,
      maxConcurrentActivityTaskExecutions: WEBHOOK_SLOTS,
      activities: webhooks,
    }),
  ]);
}
