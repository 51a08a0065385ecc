// The SDK's workers of a worker process: payments, the restore watch and webhooks, each on a queue and slots of its own.
import type { Client } from '@temporalio/client';
import { Worker, type NativeConnection } from '@temporalio/worker';
import {
  createPaymentActivities,
  createWebhookActivities,
  createWebhookSend,
} from '../../../activities';
import {
  PAYMENTS_QUEUE,
  RESTORE_WATCH_QUEUE,
  WEBHOOKS_QUEUE,
} from '../../../workflows/messages/messages';
import { partnerAddressesOf, sealingKeys, type WorkerConfig } from '../../config';
import { createPartnerOutbound } from '../../http/partner-outbound';
import { createPayoutProvider } from '../../http/payout-provider';
import { createProviderOutbound } from '../../http/provider-outbound';
import { createWebhookSender } from '../../http/webhook-sender';
import { createEndpointSlots } from '../../domain/webhooks/endpoint-slots';
import { WEBHOOKS_IN_TASKS_MAX } from '../../domain/limits';
import { createEndpointSpeeds } from '../../domain/webhooks/endpoint-speeds';
import type { IntentStore } from '../../ports/intent-store';
import type { Log } from '../../ports/log';
import type { WebhookMetrics } from '../../ports/metrics';
import type { PayoutRechecks } from '../../ports/payouts/rechecks';
import type { Database } from '../../postgres/database';
import { createFundsAccount } from '../../postgres/ledger/funds-account';
import { createLostCommits } from '../../postgres/payouts/lost-commits';
import { createPayoutLock } from '../../postgres/payouts/lock';
import { createPayoutJournal } from '../../postgres/payouts/journal';
import { createPayoutStops } from '../../postgres/payouts/stops';
import { createWebhookStore } from '../../postgres/webhooks/store';
import { createSecretSeal } from '../../signing/sealed-secret';
import {
  abortedAfter,
  HEARTBEAT_EVERY_MS,
  withActivityInfo,
  withCancellation,
} from './activity-context';
import type { Around } from '../around';
import type { RestoreWatching } from './restore-watching';
import { startStopwatch } from '../stopwatch';
import { fundsFor, paymentSettingsOf } from './settings';
import { workerVersion } from './version';
import { workflowCode } from './workflow-code';

/** A killed worker's cached runs are offered to others after this (architecture, section 3, "Traps"). */
const STICKY_TIMEOUT = '2 s';
/** Below the time that runProcess gives an orderly stop. */
const SHUTDOWN_GRACE_MS = 7_000;
/** An endpoint that never answers holds WEBHOOKS_PER_ENDPOINT of them at most, so that others' webhooks go on. */
const WEBHOOK_SLOTS = 200;
/** A workflow task holds its slot while it pays out, 1.5 s where the provider hangs, and up to half of them while they send webhooks. */
const WORKFLOW_TASK_SLOTS = 2 * WEBHOOKS_IN_TASKS_MAX;
/** One workflow at a time; its cache and its threads are as small. */
const WATCH_SLOTS = {
  maxCachedWorkflows: 2,
  workflowThreadPoolSize: 1,
  maxConcurrentWorkflowTaskExecutions: 2,
  maxConcurrentLocalActivityExecutions: 2,
  maxConcurrentActivityTaskExecutions: 1,
};
const clock = { now: () => new Date() };

export function createOutbounds(config: WorkerConfig, stopping: AbortSignal) {
  const stop = abortedAfter(stopping, SHUTDOWN_GRACE_MS);
  return {
    partners: withCancellation(createPartnerOutbound(partnerAddressesOf(config)), stop),
    providers: withCancellation(createProviderOutbound(), stop),
  };
}

export interface Parts {
  readonly installationId: string;
  readonly connection: NativeConnection;
  readonly client: Client;
  readonly database: Database;
  readonly restores: RestoreWatching;
  readonly outbound: ReturnType<typeof createOutbounds>;
  readonly intents: IntentStore;
  readonly rechecks: PayoutRechecks;
  readonly log: Log;
  readonly metrics: WebhookMetrics;
  readonly around: Around;
}

/**
 * Three workers in one process, each with slots of its own: a slow partner delays no payment, and no number of payments delays the
 * restore watch.
 */
export function createWorkers(
  config: WorkerConfig,
  parts: Parts,
  webhooks: WebhookSending,
): Promise<Worker[]> {
  const shared = {
    connection: parts.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    // Activities have no heartbeat timeout: their heartbeats fetch the cancellation, as often as they are made.
    defaultHeartbeatThrottleInterval: HEARTBEAT_EVERY_MS,
  };
  const workflows = {
    ...shared,
    ...workflowCode(config.WORKFLOW_BUNDLE),
    ...workerVersion(config.WORKER_BUILD_ID),
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    activities: { ...paymentActivities(config, parts, webhooks), ...webhooks.activities },
  };
  return Promise.all([
    Worker.create({
      ...workflows,
      taskQueue: PAYMENTS_QUEUE,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
    }),
    Worker.create({ ...workflows, ...WATCH_SLOTS, taskQueue: RESTORE_WATCH_QUEUE }),
    Worker.create({
      ...shared,
      taskQueue: WEBHOOKS_QUEUE,
      maxConcurrentActivityTaskExecutions: WEBHOOK_SLOTS,
      activities: webhooks.activities,
    }),
  ]);
}

function paymentActivities(
  config: WorkerConfig,
  parts: Parts,
  { speeds: endpointSpeeds }: WebhookSending,
) {
  const { database, restores, outbound, intents, rechecks } = parts;
  const { installationId, around } = parts;
  const log = withActivityInfo(parts.log);
  const ledger = around('funds', createFundsAccount(database));
  const thai = createPayoutProvider(outbound.providers, {
    baseUrl: config.PROVIDER_URL_TH_QRPAY,
    token: config.PROVIDER_TOKEN_TH_QRPAY,
  });
  const vietnamese = createPayoutProvider(outbound.providers, {
    baseUrl: config.PROVIDER_URL_VN_QRPAY,
    token: config.PROVIDER_TOKEN_VN_QRPAY,
  });
  return createPaymentActivities({
    funds: fundsFor(config, ledger),
    payoutJournal: around('payoutJournal', createPayoutJournal(database)),
    payoutLock: around('payoutLock', createPayoutLock(database)),
    payoutStops: around('payoutStops', createPayoutStops(database)),
    restoreWatch: around('restoreWatch', restores.watchOver(database)),
    lostCommits: around('lostCommits', createLostCommits(database)),
    ...{ intents, rechecks, installationId, log, startStopwatch, endpointSpeeds },
    ...paymentSettingsOf(config),
    providers: {
      th_qrpay: around('provider', thai),
      vn_qrpay: around('provider', vietnamese),
    },
  });
}

export type WebhookSending = ReturnType<typeof webhookSending>;

/** What sends webhooks, for the activity and for the poller: the slots of each endpoint are shared by both. */
export function webhookSending(config: WorkerConfig, parts: Parts) {
  const { database, outbound, metrics, around } = parts;
  const seal = createSecretSeal(...sealingKeys(config));
  const dependencies = {
    store: around('webhooks', createWebhookStore(database, seal)),
    slots: createEndpointSlots(config.WEBHOOKS_PER_ENDPOINT),
    speeds: createEndpointSpeeds(),
    sender: around('sender', createWebhookSender(outbound.partners)),
    clock,
    random: Math.random,
    metrics,
    log: withActivityInfo(parts.log),
  };
  const { store, slots, speeds } = dependencies;
  return {
    ...{ store, slots, speeds, activities: createWebhookActivities(dependencies) },
    send: createWebhookSend(dependencies),
  };
}
