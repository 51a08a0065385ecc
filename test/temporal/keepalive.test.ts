// Idle connections to Temporal send pings, or a load balancer in between closes them unnoticed. The
// SDK does so by itself, every 30 s, which is how long this takes.
import { NativeConnection } from '@temporalio/worker';
import { readTemporalConfig } from '../../src/config/config';
import { until } from '../../src/dev/until';
import { connectionOptions, connectTemporal } from '../../src/temporal/connection';
import {
  AUTHORITY_FILE,
  CLIENT_FILE,
  startHostedTemporal,
} from '../support/servers/hosted-temporal';
import { temporalAddress } from '../support/servers/temporal-address';

it('the idle connections of a client and of a worker send pings', async () => {
  const hosted = await startHostedTemporal(temporalAddress(), { authorities: [AUTHORITY_FILE] });
  const { temporal } = readTemporalConfig({
    DATABASE_URL: 'postgres://127.0.0.1/not_used',
    TEMPORAL_ADDRESS: hosted.address,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: AUTHORITY_FILE,
    TEMPORAL_TLS_CLIENT_CERT_PATH: CLIENT_FILE,
    TEMPORAL_TLS_CLIENT_KEY_PATH: CLIENT_FILE,
  });
  const { connection } = connectTemporal(temporal);
  await connection.ensureConnected();
  const native = await NativeConnection.connect(connectionOptions(temporal));
  await expect(until(() => hosted.pinged() === 2, { timeoutMs: 90_000 })).resolves.toBe(true);
  await Promise.all([connection.close(), native.close()]);
  hosted.close();
});
