// Composition root of the API.
import { randomBytes } from 'node:crypto';
import { createApp } from '../../api/app';
import { closeServer, createApiServer } from '../../api/server';
import { installationKey, partnerAddressesOf, readApiConfig } from '../config/config';
import { createKeySetFetcher } from '../http/key-set-fetcher';
import { createPartnerOutbound } from '../http/partner-outbound';
import { createLogger, createRequestLog } from '../observe/logger';
import { createMetrics } from '../observe/api-metrics';
import { createAttentionWatch } from '../postgres/reports/attention';
import { createInstallation } from '../signing/installation';
import { readCheckoutFiles, readTlsFiles } from './api-files';
import { createQuoters, createRunner, settingsOf, createStores } from './api-parts';
import { asItIs, type Around } from './around';
import { listen } from './listen';
import { serveMetrics } from './metrics-server';
import { isVerified, keepVerified } from './namespace';
import { openDatabase } from './open-database';
import { runProcess, type RunningProcess } from './process';
import { openTracing } from './start-tracing';

/**
 * Longer than a confirm waits; together with the starts under way it is shorter than the time that
 * runProcess gives.
 */
const DRAIN_MS = 11_000;

const [clock, randomness] = [{ now: () => new Date() }, { bytes: randomBytes }];

export async function startApi(around: Around = asItIs): Promise<RunningProcess> {
  const config = readApiConfig();
  const log = createLogger('api', config.LOG_LEVEL);
  const tracing = openTracing('api', config, log);
  const { database, rejected } = await openDatabase(config, log);
  const metrics = createMetrics(database.poolState, createAttentionWatch(database));
  const quoters = createQuoters(config, tracing);
  const stores = { ...createStores(config, database, around), quoters };
  const parts = { config, database, intents: stores.intents, clock, log, around, tracing };
  const { client, starts, verify, runner } = createRunner(parts);
  await isVerified(verify, log);
  const outbound = createPartnerOutbound(partnerAddressesOf(config));
  const app = createApp({
    ...stores,
    keySets: createKeySetFetcher(outbound),
    runner,
    clock,
    randomness,
    installation: createInstallation(installationKey(config)),
    log,
    requestLog: tracing.requestLog(createRequestLog('api', config.LOG_LEVEL)),
    metrics,
    checkout: readCheckoutFiles(config.CHECKOUT_DIR),
    settings: settingsOf(config, quoters),
  });
  const server = createApiServer({
    handler: tracing.requests(app.callback()),
    envelope: config.ERROR_ENVELOPE,
    randomness,
    clock,
    tls: readTlsFiles(config),
    connectionsMax: config.CONNECTIONS_MAX,
  });
  const [metricsServer, stopping] = [serveMetrics(metrics, log), new AbortController()];
  return {
    ready: {
      port: await listen(server, config.PORT, config.HOST),
      metrics_port: await listen(metricsServer, config.METRICS_PORT, config.HOST),
    },
    failed: Promise.race([rejected, keepVerified(verify, log, stopping.signal)]),
    async stop() {
      stopping.abort();
      await closeServer(server, DRAIN_MS);
      await starts.drain();
      metricsServer.close();
      await closeAll(client.connection, database, outbound, ...Object.values(quoters));
      await tracing.stop();
    },
  };
}

const closeAll = (...open: readonly { close(): Promise<void> }[]) =>
  Promise.all(open.map((one) => one.close()));

if (require.main === module) runProcess('api', () => startApi());
