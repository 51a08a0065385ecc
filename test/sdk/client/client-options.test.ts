// Options are checked when a client is created, so that a missing setting does not look like a
// rejection by the service.
import { inspect } from 'node:util';
import { createClient, type Client } from '../../../src/sdk';
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
  OWN_TIME,
  unavailable,
  WIRE_INTENT,
} from './stub-service';

function thrownBy(making: () => unknown): unknown {
  try {
    return making();
  } catch (error) {
    return error;
  }
}

/** Options as from JavaScript, without types. */
const untyped = (options: object) => ({ ...OPTIONS, ...options });

describe('createClient', () => {
  it.each([
    ['a base URL without a scheme', { baseUrl: 'pay.example' }, 'baseUrl is not an absolute URL'],
    ['a host and a port', { baseUrl: 'localhost:8080' }, 'baseUrl is not an absolute URL'],
    ['another scheme', { baseUrl: 'ftp://pay.example' }, 'baseUrl is not an absolute URL'],
    [
      'a base URL with a query',
      { baseUrl: 'https://a.example/?b=1' },
      'without credentials, query',
    ],
    ['a base URL with an empty query', { baseUrl: 'https://a.example/?' }, 'baseUrl is not'],
    ['a base URL with a fragment', { baseUrl: 'https://a.example/#b' }, 'baseUrl is not'],
    ['a base URL with credentials', { baseUrl: 'https://me:hidden@a.example' }, 'baseUrl is not'],
    ['an empty base URL', { baseUrl: '' }, 'baseUrl is empty: is its variable set?'],
    ['a base URL with /v1', { baseUrl: 'https://pay.example/v1/' }, 'baseUrl has /v1 in it'],
    ['a base URL of an endpoint', { baseUrl: 'https://a.example/v1/x' }, 'baseUrl has /v1 in it'],
    ['an empty secret', { signingSecret: '' }, 'signingSecret is empty'],
    ['a missing secret', { signingSecret: undefined }, 'signingSecret is empty'],
    ['an empty key id', { keyId: '' }, 'keyId is empty'],
    ['a key id with a line end', { keyId: 'acme_sandbox_2025q1\n' }, 'keyId has a space'],
    ['a key id beyond ASCII', { keyId: 'clé' }, 'keyId has a space'],
    ['no attempt', { maxAttempts: 0 }, 'maxAttempts is not a whole number of at least 1'],
    ['no time', { timeoutMs: 0 }, 'timeoutMs is not more than 0'],
    ['NaN as time', { timeoutMs: NaN }, 'timeoutMs is not more than 0'],
    ['a time that no timer has', { timeoutMs: 2 ** 31 }, 'timeoutMs is not more than 0'],
    ['NaN attempts', { maxAttempts: NaN }, 'maxAttempts is not a whole number'],
  ])('rejects %s', (_, options, message) => {
    expect(() => createClient(untyped(options))).toThrow(message);
  });

  it('names in no error the credentials in a base URL', () => {
    for (const baseUrl of ['https://me:hidden@pay.example', 'https://me:hidden@a b']) {
      const making = () => createClient(untyped({ baseUrl }));
      expect(inspect(thrownBy(making))).not.toContain('hidden');
    }
  });

  it('uses the default for an option that is undefined', async () => {
    const service = aService(networkFailure);
    const given = { maxAttempts: undefined, timeoutMs: undefined, now: undefined };
    const getting = aClient(service, untyped(given)).getIntent(INTENT_ID);
    await expect(getting).rejects.toMatchObject({ attempts: 3 });
  });
});

describe('an idempotency key', () => {
  const creating = (idempotencyKey: string) => {
    const service = aService(json(201, WIRE_INTENT));
    return { service, done: aClient(service).createIntent(ORDER, { idempotencyKey }) };
  };

  it.each(['', ' order', 'order ', 'заказ', 'a\nb', 'x'.repeat(257)])(
    'that a header cannot carry unchanged is rejected before anything is sent: %j',
    async (key) => {
      const { service, done } = creating(key);
      await expect(done).rejects.toThrow(RangeError);
      expect(service.sent).toHaveLength(0);
    },
  );

  it('may have 256 characters of printable ASCII', async () => {
    const key = `order 815 / ${'~'.repeat(244)}`;
    const { service, done } = creating(key);
    await done;
    expect(headersSent(service, 'idempotency-key')).toEqual([key]);
  });
});

describe('a response', () => {
  it('that is longer than any of the service is not read completely, and unexpected', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
      },
    });
    const service = aService(() => new Response(endless, { status: 200 }));
    await expect(aClient(service).getIntent(INTENT_ID)).rejects.toMatchObject({
      code: 'unexpected_answer',
    });
    expect(sent).toBeLessThan(10);
  });
});

// `isRepeat` of a rejection: an earlier attempt whose answer was lost may have succeeded.
const rejected = json(401, { error: 'authentication_failed', message: 'Authentication failed.' });
const create = (client: Client) => client.createIntent(ORDER);
const cancel = (client: Client) => client.cancelIntent(INTENT_ID);

const CALLS = [
  { what: 'the first attempt', call: create, answers: [rejected], status: 401, isRepeat: false },
  {
    ...{ what: 'a repeat after no answer', call: create, answers: [networkFailure, rejected] },
    ...{ status: 401, isRepeat: true },
  },
  {
    ...{ what: 'a repeat after a 503', call: create, answers: [unavailable, rejected] },
    ...{ status: 401, isRepeat: true },
  },
  { what: 'the last of three', call: create, answers: [unavailable], status: 503, isRepeat: true },
  { what: 'a cancel', call: cancel, answers: [conflict], status: 409, isRepeat: false },
  {
    ...{ what: 'the read after a repeated cancel', call: cancel },
    ...{ answers: [networkFailure, conflict, rejected], status: 401, isRepeat: true },
  },
];

it.each(CALLS)('$what: isRepeat is $isRepeat', async ({ call, answers, status, isRepeat }) => {
  const rejection = call(aClient(aService(...answers)));
  await expect(rejection).rejects.toMatchObject({ name: 'ApiError', status, isRepeat });
});

it('a retry with the corrected clock has isRepeat false: the 401 has done nothing', async () => {
  const date = { date: new Date(Date.parse(OWN_TIME) + 3_600_000).toUTCString() };
  const late = json(401, { error: 'authentication_failed', message: 'No.' }, date);
  const service = aService(late, rejected);
  await expect(create(aClient(service))).rejects.toMatchObject({ isRepeat: false });
  expect(service.sent).toHaveLength(2);
});

it('a response without an intent has isRepeat too', async () => {
  const creating = create(aClient(aService(networkFailure, json(201, {}))));
  await expect(creating).rejects.toMatchObject({ code: 'unexpected_answer', isRepeat: true });
});
