// Registers what the engine needs on a Temporal server, a namespace and its search attributes, then
// exits. migrate.ts does the same for Postgres.
import { readTemporalConfig } from '../config/config';
import { createLogger } from '../observe/logger';
import { createDatabase } from '../postgres/database';
import { readOwner } from '../postgres/service-environment';
import { connectTemporal } from '../temporal/connection';
import { registerNamespace } from '../temporal/namespace';
import { verifyNamespace } from '../temporal/namespace-claim';
import { runOnce } from './process';

const TRIES = 60;

runOnce('prepare-temporal', async () => {
  const { temporal, DATABASE_URL: url } = readTemporalConfig();
  const log = createLogger('prepare-temporal', 'info');
  const client = connectTemporal(temporal);
  const database = createDatabase({ url, poolSize: 1, onLostConnection: () => undefined });
  const admit = () => verifyNamespace(client, () => readOwner(database));
  await registerNamespace(client, temporal.namespace, TRIES, admit);
  await Promise.all([client.connection.close(), database.close()]);
  log.info(
    { namespace: temporal.namespace },
    'the namespace and its search attributes are registered',
  );
});
