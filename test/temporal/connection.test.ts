// Calls of Temporal that are bounded.
import { callUntil, callWithin, connectSoon, connectTemporal } from '../../src/temporal/connection';

/** Nobody listens there, and nobody is asked. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

const silent = () => new Promise<never>(() => undefined);

it('a call that takes longer than it may is given up', async () => {
  const client = connectTemporal(NOWHERE);
  await expect(callWithin(client, 20, silent)).rejects.toThrow('given up waiting for Temporal');
  await client.connection.close();
});

it('a call is given up when its signal is aborted', async () => {
  const client = connectTemporal(NOWHERE);
  const given = new AbortController();
  const call = callUntil(client, given.signal, silent);
  given.abort();
  await expect(call).rejects.toThrow('given up waiting for Temporal');
  await client.connection.close();
});

it('connecting before the first call fails for nobody while Temporal is away', async () => {
  const client = connectTemporal(NOWHERE);
  connectSoon(client);
  await expect(client.connection.ensureConnected()).rejects.toThrow('Failed to connect');
  await client.connection.close();
});
