// What the API reads and writes in Postgres.
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { sealingKeys, type ApiConfig } from '../config/config';
import { ID_RANDOM_BYTES, makeEventId } from '../domain/ids';
import type { Database } from '../postgres/database';
import { createIntentStore } from '../postgres/intents/store';
import { createPartnerDirectory, createPartnerLogos } from '../postgres/partners/directory';
import { createPartnerLimits } from '../postgres/partners/limits';
import { createReplayGuard } from '../postgres/partners/nonces';
import { createSessionTokenStore } from '../postgres/partners/session-tokens';
import { createSecretSeal } from '../signing/sealed-secret';
import { byCorridor, type Corridor } from '../corridors/names';
import { createProviderOutbound } from '../http/provider-outbound';
import { createQuoteStore } from '../postgres/payouts/quotes';
import { openAccount } from '../providers/registry';
import type { Around } from './around';
import type { Clock } from '../ports/clock';
import type { IntentStore } from '../ports/intents';
import type { Quoter } from '../ports/quotes';
import type { Log } from '../ports/observe';
import { createPaymentClaims } from '../postgres/intents/claims';
import { createLostCommits } from '../postgres/payouts/lost-commits';
import { callWithin, connectTemporal } from '../temporal/connection';
import { afterComparison, verifyNamespace } from '../temporal/namespace-claim';
import { createPaymentRunner } from '../temporal/payment-runner';
import { createStartQueue } from '../temporal/start-queue';
import { ownClaim } from './namespace';
import type { Tracing } from './start-tracing';
import {
  codeRules,
  isQrPayloadRequired,
  isQuoteRequired,
  maximumUsdCents,
  minimumUsdCents,
} from '../config/corridors';
import { costBounds, needsLocal, providerSettings } from '../config/providers';

export function createStores(config: ApiConfig, database: Database, around: Around) {
  const environment = config.SERVICE_ENV;
  const seal = createSecretSeal(...sealingKeys(config));
  const intents = createIntentStore({
    database,
    environment,
    makeEventId: () => makeEventId(Date.now(), randomBytes(ID_RANDOM_BYTES)),
  });
  return {
    intents: around('intents', intents),
    limits: createPartnerLimits(database),
    logos: createPartnerLogos(database, environment),
    tokens: around('tokens', createSessionTokenStore(database)),
    quotes: createQuoteStore(database),
    replayGuard: around('replayGuard', createReplayGuard(database, environment)),
    partners: createPartnerDirectory({ database, environment, seal }),
    isDatabaseUp: () =>
      database.query({ text: 'select 1' }).then(
        () => true,
        () => false,
      ),
  };
}

/** The provider of each corridor, over connections of its own. */
export function createQuoters(config: ApiConfig, tracing: Pick<Tracing, 'outbound'>) {
  const [accounts, bounds] = [providerSettings(config), costBounds(config)];
  return byCorridor((corridor) => {
    const outbound = tracing.outbound('provider', createProviderOutbound());
    const provider = openAccount(outbound, accounts[corridor].current);
    return { ...provider, costBounds: bounds[corridor], close: () => outbound.close() };
  });
}

type Quoters = Readonly<Record<Corridor, Pick<Quoter, 'inquire'>>>;

// How the API reaches the workflows of payments: it starts them, asks them to confirm or to cancel,
// and waits for them.

interface RunnerParts {
  readonly config: ApiConfig;
  readonly database: Database;
  readonly intents: IntentStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly around: Around;
  readonly tracing: Pick<Tracing, 'client'>;
}

export function createRunner(parts: RunnerParts) {
  const { config, database, intents, clock, log, around, tracing } = parts;
  const readOwn = ownClaim(config, database);
  const verify = () => callWithin(client, () => verifyNamespace(client, readOwn));
  const interceptors = [tracing.client, afterComparison(verify)];
  const client: Client = connectTemporal(config.temporal, log, interceptors);
  const rows = createLostCommits(database);
  const claims = createPaymentClaims(database);
  const starts = createStartQueue({ client, claims, rows, clock, log });
  const runner = createPaymentRunner({ client, starts, rows, intents, clock, log });
  return { client, starts, verify, runner: around('runner', runner) };
}

// The API's settings in the form that its request handlers use.

export function settingsOf(config: ApiConfig, quoters: Quoters) {
  return {
    errorEnvelope: config.ERROR_ENVELOPE,
    intentTtlSeconds: config.INTENT_TTL_SECONDS,
    confirmWaitMs: config.CONFIRM_WAIT_MS,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    requestsMax: config.REQUESTS_MAX,
    // In prod a proxy ends TLS if this process does not: otherwise the process does not start
    // (decision 23).
    isServedOverTls: config.TLS_CERT_FILE !== undefined || config.SERVICE_ENV === 'prod',
    minimumUsdCents: minimumUsdCents(config),
    maximumUsdCents: maximumUsdCents(config),
    codeRules: codeRules(config),
    needsLocal: needsLocal(config),
    isQrPayloadRequired: isQrPayloadRequired(config),
    isQuoteRequired: isQuoteRequired(config, (name) => quoters[name].inquire !== undefined),
  };
}
