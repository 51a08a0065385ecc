// Registers what the engine needs on a Temporal server, a namespace and its search attributes, then
// exits. migrate.ts does the same for Postgres.
import { readTemporalConfig } from '../config';
import { createLogger } from '../logger';
import { connectTemporal } from '../temporal/connection';
import { registerNamespace } from '../temporal/namespace';
import { runOnce } from './process';

const TRIES = 60;

runOnce('prepare-temporal', async () => {
  const { temporal } = readTemporalConfig();
  const log = createLogger('prepare-temporal', 'info');
  const client = connectTemporal(temporal);
  await registerNamespace(client, temporal.namespace, TRIES);
  await client.connection.close();
  log.info(
    { namespace: temporal.namespace },
    'the namespace and its search attributes are registered',
  );
});
