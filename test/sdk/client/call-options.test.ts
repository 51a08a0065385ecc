// Options of one call. A call that got no answer never says that nothing happened (protocol 5.2).
import { ConnectionError, createClient, type Client } from '../../../src/sdk';
import {
  aClient,
  aService,
  conflict,
  headersSent,
  INTENT_ID,
  json,
  networkFailure,
  OPTIONS,
  ORDER,
  unavailable,
  WIRE_INTENT,
} from './stub-service';

/** Receives every request and never answers. It ends as fetch does, with the signal's reason. */
function aSilentService(onRequest: () => void = () => undefined) {
  const sent: AbortSignal[] = [];
  const hanging: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      const signal = init?.signal ?? new AbortController().signal;
      sent.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      onRequest();
    });
  return { fetch: hanging, sent };
}

const clientOf = (service: { fetch: typeof fetch }, options = {}) =>
  aClient({ fetch: service.fetch, sent: [] }, options);

async function thrownBy(call: Promise<unknown>): Promise<ConnectionError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (error instanceof ConnectionError) return error;
  throw new Error('no ConnectionError was thrown', { cause: error });
}

const CALLS: readonly [string, (client: Client, options: object) => Promise<unknown>][] = [
  ['createIntent', (client, options) => client.createIntent(ORDER, options)],
  ['getIntent', (client, options) => client.getIntent(INTENT_ID, options)],
  ['cancelIntent', (client, options) => client.cancelIntent(INTENT_ID, options)],
];

describe.each(CALLS)('%s', (_, call) => {
  it('stops each attempt after its own timeoutMs', async () => {
    const service = aSilentService();
    const error = await thrownBy(call(clientOf(service), { timeoutMs: 1 }));
    expect(error).toMatchObject({ reason: 'timed_out', attempts: 3 });
    expect(error.message).toContain('did not answer within 1 ms, after 3 attempts');
    expect(service.sent).toHaveLength(3);
  });

  it('ends during an attempt when its signal aborts, and is not sent again', async () => {
    const controller = new AbortController();
    const service = aSilentService(() => controller.abort(new Error('shutting down')));
    const error = await thrownBy(call(clientOf(service), { signal: controller.signal }));
    expect(error).toMatchObject({ reason: 'aborted', attempts: 1 });
    expect(error).toMatchObject({ cause: { message: 'shutting down' } });
    expect(error.message).toContain('The outcome is unknown');
    expect(service.sent).toHaveLength(1);
  });

  it('sends nothing when its signal is already aborted', async () => {
    const service = aService(json(201, WIRE_INTENT));
    const error = await thrownBy(call(aClient(service), { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ reason: 'aborted', attempts: 0 });
    expect(error.message).toContain('Your signal aborted the call after 0 attempts.');
    expect(service.sent).toHaveLength(0);
  });

  it.each([
    ['timeout', { timeout: 5_000 }, 'timeout is no option of a call'],
    ['timeoutMs of 0', { timeoutMs: 0 }, 'timeoutMs is not more than 0'],
  ])('rejects %s before anything is sent', async (_name, options, message) => {
    const service = aService(json(201, WIRE_INTENT));
    await expect(call(aClient(service), options)).rejects.toThrow(message);
    expect(service.sent).toHaveLength(0);
  });
});

describe('a signal', () => {
  it('ends the pause between two attempts at once', async () => {
    const controller = new AbortController();
    const service = aService(() => {
      setImmediate(() => controller.abort());
      return new Response('{}', { status: 503, headers: { 'retry-after': '3600' } });
    });
    // With the real pause, of 5 s.
    const { baseUrl, keyId, signingSecret } = OPTIONS;
    const client = createClient({ baseUrl, keyId, signingSecret, fetch: service.fetch });
    const error = await thrownBy(client.createIntent(ORDER, { signal: controller.signal }));
    expect(error).toMatchObject({ reason: 'aborted', attempts: 1 });
    expect(service.sent).toHaveLength(1);
  });

  it('that does not abort changes nothing', async () => {
    const service = aService(unavailable, json(201, WIRE_INTENT));
    const { signal } = new AbortController();
    const intent = await aClient(service).createIntent(ORDER, { signal });
    expect(intent.intentId).toBe(INTENT_ID);
  });
});

it('a cancel that is aborted before its last read has an unknown outcome', async () => {
  const controller = new AbortController();
  const service = aService(networkFailure, () => {
    controller.abort();
    return conflict();
  });
  const { signal } = controller;
  const error = await thrownBy(aClient(service).cancelIntent(INTENT_ID, { signal }));
  expect(error.reason).toBe('aborted');
  expect(error.message).toContain('The outcome is unknown: get the intent to learn it.');
  expect(service.sent).toHaveLength(2);
});

describe('after a create without an answer', () => {
  it('a message names the key to repeat it with', async () => {
    const client = aClient(aService(networkFailure));
    const error = await thrownBy(client.createIntent(ORDER, { idempotencyKey: 'order-815' }));
    expect(error).toMatchObject({ reason: 'no_answer', idempotencyKey: 'order-815' });
    expect(error.message).toBe(
      'No answer from the service after 3 attempts. The outcome is unknown: ' +
        'create again with the same Idempotency-Key, order-815.',
    );
  });

  it('the key that the client made is known, so that the create can be repeated', async () => {
    const service = aService(
      networkFailure,
      networkFailure,
      networkFailure,
      json(201, WIRE_INTENT),
    );
    const client = aClient(service);
    const { idempotencyKey = '' } = await thrownBy(client.createIntent(ORDER));
    await client.createIntent(ORDER, { idempotencyKey });
    expect(new Set(headersSent(service, 'idempotency-key'))).toEqual(new Set([idempotencyKey]));
  });

  it.each([
    ['503', unavailable],
    ['201 without an intent', json(201, {})],
  ])('the key that the client made is known after a %s too', async (_, answer) => {
    const service = aService(answer);
    const thrown: unknown = await aClient(service)
      .createIntent(ORDER)
      .catch((error: unknown) => error);
    const [key] = headersSent(service, 'idempotency-key');
    expect(thrown).toMatchObject({ name: 'ApiError', idempotencyKey: key });
  });

  it('a key among the members of the order is rejected, because it would be ignored', async () => {
    const service = aService(json(201, WIRE_INTENT));
    const creating = aClient(service).createIntent({
      ...ORDER,
      ...{ idempotencyKey: 'order-815' },
    });
    await expect(creating).rejects.toThrow('give it in the second argument');
    expect(service.sent).toHaveLength(0);
  });
});

it('after a read or a cancel without an answer the message says to get the intent', async () => {
  const client = aClient(aService(networkFailure));
  const error = await thrownBy(client.cancelIntent(INTENT_ID));
  expect(error.idempotencyKey).toBeUndefined();
  expect(error.message).toContain('The outcome is unknown: get the intent to learn it.');
});
