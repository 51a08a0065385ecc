// What a Temporal server needs before the engine runs on it, as the migrate service of docker-compose.yml brings it.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { connectTemporal } from '../../src/temporal/connection';
import { registerNamespace } from '../../src/temporal/namespace';
import { temporalAddress } from '../support/temporal-address';

const TRIES = 30;

describe('registering a namespace', () => {
  const namespace = `made-${randomUUID()}`;
  let client: Client;

  beforeAll(async () => {
    client = connectTemporal({ address: temporalAddress(), namespace });
    await registerNamespace(client, namespace, TRIES);
  });

  afterAll(() => client.connection.close());

  it('keeps a closed run for thirty days', async () => {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
  });

  it('brings what operations search payments by', async () => {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
      namespace,
    });
    expect(Object.keys(customAttributes)).toEqual(
      expect.arrayContaining(['PartnerId', 'Corridor', 'PaymentStatus', 'NeedsAttention']),
    );
  });

  it('may be repeated', async () => {
    await expect(registerNamespace(client, namespace, TRIES)).resolves.toBeUndefined();
  });

  it('gives up in the end on a server that is not there', async () => {
    const away = connectTemporal({ address: '127.0.0.1:1', namespace });
    await expect(registerNamespace(away, namespace, 1)).rejects.toThrow(/UNAVAILABLE|connect/i);
    await away.connection.close();
  });
});
