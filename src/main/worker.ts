// Composition root of the worker: payments and webhooks on queues and slots of their own, and the reconciler.
import { randomBytes } from 'node:crypto';
import {
  PAYMENTS_QUEUE,
  RESTORE_WATCH_QUEUE,
  WEBHOOKS_QUEUE,
} from '../../workflows/messages/messages';
import { installationKey, readWorkerConfig, type WorkerConfig } from '../config';
import { ID_RANDOM_BYTES, makeEventId } from '../domain/ids';
import { createLogger } from '../logger';
import { createWorkerMetrics } from '../metrics';
import { ourBaseline } from '../postgres/baseline';
import type { Database } from '../postgres/database';
import { createHoldingAccountWatch } from '../postgres/ledger/holding-account-watch';
import { createIntentStore } from '../postgres/intents/store';
import { createLostCommits } from '../postgres/payouts/lost-commits';
import { createPaymentClaims } from '../postgres/intents/claims';
import { createPayoutRechecks } from '../postgres/payouts/rechecks';
import type { IntentStore } from '../ports/intent-store';
import { createInstallation } from '../signing/installation';
import { connectTemporal } from '../temporal/connection';
import { createDeadlinePoller } from '../temporal/deadline-poller';
import { createWorkflowRepairer } from '../temporal/workflow-repairer';
import { hasOtherBaseline, keepRestoreWatch } from '../temporal/restore-watch-start';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { createWebhookPoller } from '../temporal/webhook-poller';
import { asItIs, type Around } from './around';
import { listen } from './listen';
import { serveMetrics } from './metrics-server';
import { openDatabase } from './open-database';
import { otherWorkflows } from './other-environment';
import { createRestoreWatching } from './worker/restore-watching';
import { runProcess, type RunningProcess } from './process';
import { connectWorker } from './worker/connect';
import {
  createOutbounds,
  createWorkers,
  webhookSending,
  type Parts,
  type WebhookSending,
} from './worker/sdk-workers';

export async function startWorker(around: Around = asItIs): Promise<RunningProcess> {
  const config = readWorkerConfig();
  const log = createLogger('worker', config.LOG_LEVEL);
  const { id: installationId } = createInstallation(installationKey(config));
  const restores = createRestoreWatching(config, log);
  const { database, refused } = await openDatabase(config, log, restores.guard.look);
  const stopping = new AbortController();
  const outbound = createOutbounds(config, stopping.signal);
  const intents = around('intents', createIntents(config, database));
  const temporal = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
  const client = connectTemporal(temporal);
  const connection = await connectWorker(temporal.address, log);
  const baseline = ourBaseline();
  if (await hasOtherBaseline(client, baseline)) throw otherWorkflows(temporal.namespace);
  await registerSearchAttributes(client.connection, temporal.namespace);
  const lowUsdCents = config.HOLDING_LOW_USD_CENTS;
  const metrics = createWorkerMetrics(lowUsdCents);
  const rechecks = around('rechecks', createPayoutRechecks(database));
  const parts = {
    ...{ connection, client, database, outbound, intents, rechecks, installationId },
    ...{ restores, log, metrics, around },
  };
  const webhooks = webhookSending(config, parts);
  const workers = await createWorkers(config, parts, webhooks);
  const metricsServer = serveMetrics(metrics, log);
  const metricsPort = await listen(metricsServer, config.METRICS_PORT, config.HOST);
  const running = Promise.all([
    ...workers.map((worker) => worker.run()),
    ...createPollers(parts, webhooks).map((poller) => poller.run(stopping.signal)),
    keepRestoreWatch({ client, baseline, log }, stopping.signal),
    restores.guard.run(database, stopping.signal),
    createHoldingAccountWatch({ database, lowUsdCents, metrics, log }).run(stopping.signal),
  ]).then(() => undefined);
  return {
    ready: {
      queues: [PAYMENTS_QUEUE, RESTORE_WATCH_QUEUE, WEBHOOKS_QUEUE],
      metrics_port: metricsPort,
    },
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

/** What repairs and expires payments, and sends webhooks, from their rows, whatever becomes of their workflows. */
function createPollers(
  { client, database, rechecks, intents, installationId, log, around }: Parts,
  webhooks: WebhookSending,
) {
  const payments = around('claims', createPaymentClaims(database, installationId));
  const rows = createLostCommits(database);
  const clock = { now: () => new Date() };
  return [
    createWorkflowRepairer({ client, rows, payments, rechecks, intents, clock, log }),
    createWebhookPoller({ client, log, ...webhooks }),
    createDeadlinePoller({ client, rows, payments, intents, clock, log }),
  ];
}

function createIntents(
  { SERVICE_ENV: environment }: WorkerConfig,
  database: Database,
): IntentStore {
  const makeId = () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES));
  return createIntentStore({ database, environment, makeEventId: makeId });
}

if (require.main === module) runProcess('worker', () => startWorker());
