// Calls of Temporal that are bounded, and what they leave behind in the process.
import { Connection } from '@temporalio/client';
import { callUntil, callWithin, connectSoon, connectTemporal } from '../../src/temporal/connection';
import { answerUpdates } from '../support/grpc-server';

/** Nobody listens there, and nobody is asked. */
const NOWHERE = { address: '127.0.0.1:1', namespace: 'default' };

const never = () => new AbortController().signal;

/** A client, and the storage in which its SDK keeps a call's context, with something in it. */
function aClient(address = NOWHERE) {
  const client = connectTemporal(address);
  if (!(client.connection instanceof Connection)) throw new Error('another kind of connection');
  const { callContextStorage } = client.connection;
  callContextStorage.enterWith({ metadata: { kept: 'yes' } });
  return { client, isKept: () => callContextStorage.getStore() !== undefined };
}

it('a call that has ended leaves no context kept, for which every promise would pay', async () => {
  const { client, isKept } = aClient();
  await expect(callUntil(client, never(), () => Promise.resolve('told'))).resolves.toBe('told');
  expect(isKept()).toBe(false);
  await client.connection.close();
});

it('nor does one that has failed', async () => {
  const { client, isKept } = aClient();
  const failing = () => Promise.reject(new Error('refused'));
  await expect(callUntil(client, never(), failing)).rejects.toThrow('refused');
  expect(isKept()).toBe(false);
  await client.connection.close();
});

it('nor does connecting before the first call', async () => {
  const server = await answerUpdates({ code: 12, message: 'no update here' });
  const { client, isKept } = aClient({ address: server.address, namespace: 'default' });
  connectSoon(client);
  await client.connection.ensureConnected();
  // Promises are told in the order in which they asked, and connectSoon has asked before.
  expect(isKept()).toBe(false);
  await client.connection.close();
  server.close();
});

it('a call keeps its context while others end, and after nobody waits for it any longer', async () => {
  const { client, isKept } = aClient();
  let goOn: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const given = new AbortController();
  const seen: boolean[] = [];
  let ended: Promise<void> = Promise.resolve();
  const long = callUntil(client, given.signal, () => {
    ended = waiting.then(() => {
      seen.push(isKept());
    });
    return ended;
  });
  given.abort();
  await expect(long).rejects.toThrow('given up waiting for Temporal');
  await callUntil(client, never(), () => Promise.resolve());
  goOn();
  await ended;
  expect(seen).toEqual([true]);
  await client.connection.close();
});

it('a call that takes longer than it may is given up', async () => {
  const client = connectTemporal(NOWHERE);
  const silent = () => new Promise<never>(() => undefined);
  await expect(callWithin(client, 20, silent)).rejects.toThrow('given up waiting for Temporal');
  await client.connection.close();
});
