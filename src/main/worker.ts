// Composition root of the worker: payments and webhooks on queues and slots of their own, and the reconciler.
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { Worker, type NativeConnection } from '@temporalio/worker';
import {
  createPaymentActivities,
  createWebhookActivities,
  type WebhookActivities,
} from '../../activities';
import { PAYMENTS_QUEUE, WEBHOOKS_QUEUE } from '../../workflows/messages';
import { partnerAddressesOf, readWorkerConfig, sealingKeys, type WorkerConfig } from '../config';
import { ID_RANDOM_BYTES, makeEventId, type EventId } from '../domain/ids';
import { createPartnerOutbound } from '../http/partner-outbound';
import { createPayoutProvider } from '../http/payout-provider';
import { createProviderOutbound } from '../http/provider-outbound';
import { createWebhookSender } from '../http/webhook-sender';
import { createLogger } from '../logger';
import { createWorkerMetrics } from '../metrics';
import type { Database } from '../postgres/database';
import { createFundsAccount } from '../postgres/funds-account';
import { createHoldingWatch } from '../postgres/holding-watch';
import { createIntentStore } from '../postgres/intent-store';
import { createPaymentSweep } from '../postgres/payment-sweep';
import { createPayoutComparisons } from '../postgres/payout-comparisons';
import { createPayoutGate } from '../postgres/payout-gate';
import { createPayoutJournal } from '../postgres/payout-journal';
import { createPayoutStops } from '../postgres/payout-stops';
import { createWebhookStore } from '../postgres/webhook-store';
import type { IntentStore } from '../ports/intent-store';
import type { PayoutComparisons } from '../ports/payout-comparisons';
import type { Log } from '../ports/log';
import type { WebhookMetrics } from '../ports/metrics';
import { createSecretSeal } from '../signing/sealed-secret';
import { connectTemporal } from '../temporal/connection';
import { createDeadlinePoller } from '../temporal/deadline-poller';
import { createOwedDeliveries } from '../temporal/owed-deliveries';
import { createReconciler } from '../temporal/reconciler';
import { keepRestoreWatch } from '../temporal/restore-watch-start';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { asItIs, type Around } from './around';
import { listen } from './listen';
import { serveMetrics } from './metrics-server';
import { openDatabase } from './open-database';
import { createRestoreWatching, type RestoreWatching } from './restore-watching';
import { runProcess, type RunningProcess } from './process';
import { startStopwatch } from './stopwatch';
import { fundsFor, paymentSettingsOf } from './worker-settings';
import { workerVersion } from './worker-version';
import { workflowCode } from './workflow-code';
import { connectWorker } from './connect-worker';

/** A killed worker's cached runs are offered to others after this (architecture, section 3, "Traps"). */
const STICKY_TIMEOUT = '2 s';
/** Below the time that runProcess gives an orderly stop. */
const SHUTDOWN_GRACE = '7 s';
/** An endpoint that never answers holds sixteen of them at most (decision 19), so that others' webhooks go on. */
const WEBHOOK_SLOTS = 200;
const clock = { now: () => new Date() };

export async function startWorker(around: Around = asItIs): Promise<RunningProcess> {
  const config = readWorkerConfig();
  const log = createLogger('worker', config.LOG_LEVEL);
  const restores = createRestoreWatching(config, log);
  const { database, refused } = await openDatabase(config, log, restores.guard.look);
  const outbound = createOutbounds(config);
  const intents = around('intents', createIntents(config, database));
  const temporal = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
  const client = connectTemporal(temporal);
  const connection = await connectWorker(temporal.address, log);
  await registerSearchAttributes(client.connection, temporal.namespace);
  const lowUsdCents = config.HOLDING_LOW_USD_CENTS;
  const metrics = createWorkerMetrics(lowUsdCents);
  const stopping = new AbortController();
  const comparisons = around('comparisons', createPayoutComparisons(database));
  const parts = {
    ...{ connection, database, restores, outbound, intents, comparisons, log, metrics, around },
    stopping: stopping.signal,
  };
  const webhooks = webhookActivities(config, parts);
  const workers = await createWorkers(config, parts, webhooks);
  const pollers = createPollers({ ...parts, client }, webhooks);
  const metricsServer = serveMetrics(metrics, log);
  const metricsPort = await listen(metricsServer, config.METRICS_PORT, config.HOST);
  const running = Promise.all([
    ...workers.map((worker) => worker.run()),
    ...pollers.map((poller) => poller.run(stopping.signal)),
    keepRestoreWatch({ client, log }, stopping.signal),
    restores.guard.run(database, stopping.signal),
    createHoldingWatch({ database, lowUsdCents, metrics, log }).run(stopping.signal),
  ]).then(() => undefined);
  return {
    ready: { queues: [PAYMENTS_QUEUE, WEBHOOKS_QUEUE], metrics_port: metricsPort },
    failed: Promise.race([running, refused]),
    async stop() {
      stopping.abort();
      for (const worker of workers) worker.shutdown();
      await running;
      metricsServer.close();
      await Promise.all([client.connection.close(), database.close()]);
      await Promise.all([outbound.partners.close(), outbound.providers.close()]);
      await connection.close();
    },
  };
}

function createIntents(
  { SERVICE_ENV: environment }: WorkerConfig,
  database: Database,
): IntentStore {
  const makeId = () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES));
  return createIntentStore({ database, environment, makeEventId: makeId });
}

function createOutbounds(config: WorkerConfig) {
  return {
    partners: createPartnerOutbound(partnerAddressesOf(config)),
    providers: createProviderOutbound(),
  };
}

interface Parts {
  readonly connection: NativeConnection;
  readonly database: Database;
  readonly restores: RestoreWatching;
  readonly outbound: ReturnType<typeof createOutbounds>;
  readonly intents: IntentStore;
  readonly comparisons: PayoutComparisons;
  readonly log: Log;
  readonly metrics: WebhookMetrics;
  readonly stopping: AbortSignal;
  readonly around: Around;
}

/** What repairs and expires payments from their rows, whatever becomes of their workflows. */
function createPollers(parts: Parts & { readonly client: Client }, webhooks: WebhookActivities) {
  const { client, database, intents, comparisons, log, stopping, around } = parts;
  const payments = around('sweep', createPaymentSweep(database));
  const deliver = (eventId: EventId) => webhooks.deliverWebhook(eventId);
  return [
    createReconciler({
      ...{ client, payments, comparisons, intents, clock, log },
      deliveries: createOwedDeliveries({ client, deliver, log, stopping }),
    }),
    createDeadlinePoller({ client, payments, intents, clock, log }),
  ];
}

/** Two workers in one process: webhooks have slots of their own, so that a slow partner delays no payment. */
function createWorkers(
  config: WorkerConfig,
  parts: Parts,
  webhooks: WebhookActivities,
): Promise<Worker[]> {
  const shared = {
    connection: parts.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    shutdownGraceTime: SHUTDOWN_GRACE,
  };
  return Promise.all([
    Worker.create({
      ...shared,
      ...workflowCode(config.WORKFLOW_BUNDLE),
      taskQueue: PAYMENTS_QUEUE,
      ...workerVersion(config.WORKER_BUILD_ID),
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
      activities: paymentActivities(config, parts),
    }),
    Worker.create({
      ...shared,
      taskQueue: WEBHOOKS_QUEUE,
      maxConcurrentActivityTaskExecutions: WEBHOOK_SLOTS,
      activities: webhooks,
    }),
  ]);
}

function paymentActivities(config: WorkerConfig, parts: Parts) {
  const { database, restores, outbound, intents, comparisons, log, around } = parts;
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
    payoutGate: around('payoutGate', createPayoutGate(database)),
    payoutStops: around('payoutStops', createPayoutStops(database)),
    restoreWatch: around('restoreWatch', restores.watchOver(database)),
    ...{ intents, comparisons, log, startStopwatch },
    ...paymentSettingsOf(config),
    providers: {
      th_qrpay: around('provider', thai),
      vn_qrpay: around('provider', vietnamese),
    },
  });
}

function webhookActivities(config: WorkerConfig, parts: Parts) {
  const { database, outbound, log, metrics, stopping, around } = parts;
  const seal = createSecretSeal(...sealingKeys(config));
  return createWebhookActivities({
    store: around('webhooks', createWebhookStore(database, seal)),
    sender: around('sender', createWebhookSender(outbound.partners)),
    clock,
    random: Math.random,
    ...{ log, metrics, stopping },
  });
}

if (require.main === module) runProcess('worker', () => startWorker());
