// Composition root of the API.
import { randomBytes } from 'node:crypto';
import { createApp } from '../../api/app';
import { closeServer, createApiServer } from '../../api/server';
import { installationKey, partnerAddressesOf, readApiConfig, sealingKeys } from '../config';
import { ID_RANDOM_BYTES, makeEventId } from '../domain/ids';
import { createKeySetFetcher } from '../http/key-set-fetcher';
import { createPartnerOutbound } from '../http/partner-outbound';
import { createLogger, createRequestLog } from '../logger';
import { createMetrics } from '../metrics';
import { createAttentionWatch } from '../postgres/reports/attention';
import type { Database } from '../postgres/database';
import { createIntentStore } from '../postgres/intents/store';
import { createLostCommits } from '../postgres/payouts/lost-commits';
import { createPartnerDirectory } from '../postgres/partners/directory';
import { createPaymentClaims } from '../postgres/intents/claims';
import { createReplayGuard } from '../postgres/partners/nonces';
import { createSessionTokenStore } from '../postgres/partners/session-tokens';
import { createInstallation } from '../signing/installation';
import { createSecretSeal, type SecretSeal } from '../signing/sealed-secret';
import { connectSoon, connectTemporal } from '../temporal/connection';
import { createPaymentRunner } from '../temporal/payment-runner';
import { createStartQueue } from '../temporal/start-queue';
import { settingsOf } from './api/settings';
import { asItIs, type Around } from './around';
import { readCheckoutFiles } from './api/checkout-files';
import { listen } from './listen';
import { serveMetrics } from './metrics-server';
import { openDatabase } from './open-database';
import { runProcess, type RunningProcess } from './process';
import { readTlsFiles } from './api/tls-files';

/** Longer than a confirm waits, and with the starts that are under way below the time that runProcess gives. */
const DRAIN_MS = 11_000;

export async function startApi(around: Around = asItIs): Promise<RunningProcess> {
  const config = readApiConfig();
  const log = createLogger('api', config.LOG_LEVEL);
  const clock = { now: () => new Date() };
  const randomness = { bytes: randomBytes };
  const { database, refused } = await openDatabase(config, log);
  const metrics = createMetrics(createAttentionWatch(database));
  const seal = createSecretSeal(...sealingKeys(config));
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = config;
  const client = connectTemporal({ address, namespace });
  const rows = createLostCommits(database);
  const claims = createPaymentClaims(database);
  const starts = createStartQueue({ client, claims, rows, clock, log });
  const outbound = createPartnerOutbound(partnerAddressesOf(config));
  const app = createApp({
    ...createStores(database, { environment: config.SERVICE_ENV, seal, around }),
    keySets: createKeySetFetcher(outbound),
    runner: around('runner', createPaymentRunner({ client, starts, rows, clock, log })),
    clock,
    randomness,
    installation: createInstallation(installationKey(config)),
    log,
    requestLog: createRequestLog('api', config.LOG_LEVEL),
    metrics,
    checkout: readCheckoutFiles(config.CHECKOUT_DIR),
    settings: settingsOf(config),
  });
  const server = createApiServer({
    handler: app.callback(),
    envelope: config.ERROR_ENVELOPE,
    randomness,
    clock,
    tls: readTlsFiles(config),
  });
  const metricsServer = serveMetrics(metrics, log);
  connectSoon(client);
  return {
    ready: {
      port: await listen(server, config.PORT, config.HOST),
      metrics_port: await listen(metricsServer, config.METRICS_PORT, config.HOST),
    },
    failed: refused,
    async stop() {
      await closeServer(server, DRAIN_MS);
      await starts.drain();
      metricsServer.close();
      await Promise.all([client.connection.close(), database.close(), outbound.close()]);
    },
  };
}

interface StoreOptions {
  readonly environment: string;
  readonly seal: SecretSeal;
  readonly around: Around;
}

function createStores(database: Database, { environment, seal, around }: StoreOptions) {
  const intents = createIntentStore({
    database,
    environment,
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
  });
  return {
    intents: around('intents', intents),
    tokens: around('tokens', createSessionTokenStore(database)),
    replayGuard: around('replayGuard', createReplayGuard(database, environment)),
    partners: createPartnerDirectory({ database, environment, seal }),
    isDatabaseUp: () =>
      database.query({ text: 'select 1' }).then(
        () => true,
        () => false,
      ),
  };
}

if (require.main === module) runProcess('api', () => startApi());
