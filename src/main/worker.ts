// Composition root of the worker: each subject creates its parts in worker/, and this file lists
// and runs them.
import { readWorkerConfig } from '../config/config';
import { createLogger } from '../observe/logger';
import { createWorkerMetrics } from '../observe/worker-metrics';
import { asItIs, type Around } from './around';
import { listenForCallbacks } from './callbacks';
import { listen } from './listen';
import { serveMetrics } from './metrics-server';
import { openDatabase } from './open-database';
import { runProcess, type RunningProcess } from './process';
import { openTracing } from './start-tracing';
import { connectWorker } from './worker/connect';
import { createCoreMetrics } from './worker/core-metrics';
import { createOutbounds } from './worker/outbounds';
import { createPayments } from './worker/payments';
import { createReadiness } from './worker/readiness';
import { createRestores } from './worker/restores';
import { createWorkers, QUEUES } from './worker/sdk-workers';
import { createWebhooks } from './worker/webhooks';

export async function startWorker(around: Around = asItIs): Promise<RunningProcess> {
  const config = readWorkerConfig();
  const log = createLogger('worker', config.LOG_LEVEL);
  const tracing = openTracing('worker', config, log);
  const stopping = new AbortController();
  const restores = createRestores(config, log);
  const { database, rejected } = await openDatabase(config, log, restores.guard.check);
  const outbounds = createOutbounds(config, tracing, stopping.signal);
  const core = await createCoreMetrics();
  const lowUsdCents = config.HOLDING_LOW_USD_CENTS;
  const metrics = createWorkerMetrics(database.poolState, lowUsdCents, core.expose);
  const readiness = createReadiness(config);
  // Before Temporal: a worker that waits for it is alive.
  const metricsServer = serveMetrics(metrics, log, readiness.isReady);
  const metricsPort = await listen(metricsServer, config.METRICS_PORT, config.HOST);
  const temporal = await Promise.race([rejected, connectWorker(config, database, log, core)]);
  const parts = { config, log, database, temporal, outbounds, metrics, around, tracing };
  const webhooks = createWebhooks(parts);
  const payments = createPayments(parts, {
    endpointSpeeds: webhooks.speeds,
    restoreWatch: restores.watchOver(database),
  });
  const workers = await createWorkers(parts, {
    payments: payments.activities,
    webhooks: webhooks.activities,
  });
  const callbacks = await listenForCallbacks(parts, payments.accounts);
  readiness.follow(temporal, workers);
  const loops = [...payments.loops, ...webhooks.loops, ...restores.loopsOf(parts)];
  const running = Promise.all([
    ...workers.map((worker) => worker.run()),
    ...loops.map((loop) => loop.run(stopping.signal)),
  ]).then(() => undefined);
  return {
    ready: { queues: QUEUES, metrics_port: metricsPort, ...callbacks.ready },
    failed: Promise.race([running, rejected]),
    async stop() {
      stopping.abort();
      for (const worker of workers) worker.shutdown();
      await Promise.all([running, callbacks.close()]);
      metricsServer.close();
      await Promise.all([temporal.client.connection.close(), database.close()]);
      const calls = [outbounds.partners, ...Object.values(outbounds.providers)];
      await Promise.all(calls.map((outbound) => outbound.close()));
      await Promise.all([temporal.connection.close(), tracing.stop()]);
    },
  };
}

if (require.main === module) runProcess('worker', () => startWorker());
