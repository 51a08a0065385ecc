// How the API reaches the workflows of payments: it starts them, asks them to confirm or to cancel,
// and waits for them.
import type { Client } from '@temporalio/client';
import type { ApiConfig } from '../../config/config';
import type { Clock } from '../../ports/clock';
import type { IntentStore } from '../../ports/intent-store';
import type { Log } from '../../ports/log';
import type { Database } from '../../postgres/database';
import { createPaymentClaims } from '../../postgres/intents/claims';
import { createLostCommits } from '../../postgres/payouts/lost-commits';
import { callWithin, connectTemporal } from '../../temporal/connection';
import { afterComparison, verifyNamespace } from '../../temporal/namespace-claim';
import { createPaymentRunner } from '../../temporal/payment-runner';
import { createStartQueue } from '../../temporal/start-queue';
import type { Around } from '../around';
import { ownClaim } from '../namespace';
import type { Tracing } from '../start-tracing';

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
