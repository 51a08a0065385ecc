// A Temporal namespace of a test's own, with a client, a connection for workers, and a database.
import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { connectTemporal, type TemporalSettings } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { openTestBed } from '../support/builders';
import { bracket } from '../support/brackets';
import { quietTemporal } from '../support/servers/quiet-temporal';
import { temporalAddress } from '../support/servers/temporal-address';

const TRIES = 30;

export function withOwnNamespace(settings: Pick<TemporalSettings, 'payloadKeys'> = {}) {
  return bracket(
    async () => {
      quietTemporal();
      const [namespace, address] = [`own-${randomUUID()}`, temporalAddress()];
      const client = connectTemporal({ address, namespace, ...settings });
      await registerNamespace(client, namespace, TRIES);
      const connection = await NativeConnection.connect({ address });
      return { namespace, client, connection, bed: await openTestBed() };
    },
    async ({ client, connection, bed }) => {
      await connection.close();
      await client.connection.close();
      await bed.close();
    },
  );
}
