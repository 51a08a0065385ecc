// What a client is made of is checked when it is made: a setting that is not there shall not look like a rejection.
import { createClient, type Client } from '../../src/sdk';
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

/** As JavaScript hands them over, whatever the types say. */
const untyped = (options: object) => ({ ...OPTIONS, ...options });

describe('createClient', () => {
  it.each([
    ['a base URL that is none', { baseUrl: 'pay.example' }, 'Invalid URL'],
    ['an empty secret', { signingSecret: '' }, 'signingSecret is empty'],
    ['a secret that is not there', { signingSecret: undefined }, 'signingSecret is empty'],
    ['an empty key id', { keyId: '' }, 'keyId is empty'],
    ['no attempt', { maxAttempts: 0 }, 'maxAttempts is not a whole number from 1 on'],
    ['attempts that are no number', { maxAttempts: NaN }, 'maxAttempts is not a whole number'],
  ])('refuses %s', (_, options, message) => {
    expect(() => createClient(untyped(options))).toThrow(message);
  });

  it('takes what is undefined for what is not told', async () => {
    const service = aService(networkFailure);
    const given = { maxAttempts: undefined, timeoutMs: undefined, now: undefined };
    const getting = aClient(service, untyped(given)).getIntent(INTENT_ID);
    await expect(getting).rejects.toMatchObject({ attempts: 3 });
  });
});

describe('an idempotency key', () => {
  const creating = (idempotencyKey: string) => {
    const service = aService(json(201, WIRE_INTENT));
    return { service, done: aClient(service).createIntent({ ...ORDER, idempotencyKey }) };
  };

  it.each(['', ' order', 'order ', 'заказ', 'a\nb', 'x'.repeat(257)])(
    'that a header cannot carry unchanged is refused before anything is sent: %j',
    async (key) => {
      const { service, done } = creating(key);
      await expect(done).rejects.toThrow(RangeError);
      expect(service.sent).toHaveLength(0);
    },
  );

  it('may hold any printable ASCII, 256 characters of it', async () => {
    const key = `order 815 / ${'~'.repeat(244)}`;
    const { service, done } = creating(key);
    await done;
    expect(headersSent(service, 'idempotency-key')).toEqual([key]);
  });
});

describe('an answer', () => {
  it('that is longer than any of the service’s is not kept, and told as unexpected', async () => {
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

// What a rejection says of the attempts before it: one whose answer was lost may have done what was asked.
const refused = json(401, { error: 'authentication_failed', message: 'Authentication failed.' });
const create = (client: Client) => client.createIntent(ORDER);
const cancel = (client: Client) => client.cancelIntent(INTENT_ID);

const CALLS = [
  { what: 'the first attempt', call: create, answers: [refused], status: 401, isRepeat: false },
  {
    ...{ what: 'a repeat after no answer', call: create, answers: [networkFailure, refused] },
    ...{ status: 401, isRepeat: true },
  },
  {
    ...{ what: 'a repeat after a 503', call: create, answers: [unavailable, refused] },
    ...{ status: 401, isRepeat: true },
  },
  { what: 'the last of three', call: create, answers: [unavailable], status: 503, isRepeat: true },
  { what: 'a cancel', call: cancel, answers: [conflict], status: 409, isRepeat: false },
  {
    ...{ what: 'the read behind a repeated cancel', call: cancel },
    ...{ answers: [networkFailure, conflict, refused], status: 401, isRepeat: true },
  },
];

it.each(CALLS)('$what: isRepeat is $isRepeat', async ({ call, answers, ...told }) => {
  const rejection = call(aClient(aService(...answers)));
  const { status, isRepeat } = told;
  await expect(rejection).rejects.toMatchObject({ name: 'ApiError', status, isRepeat });
});

it('a repeat with the corrected clock is none: the attempt before it was refused', async () => {
  const date = { date: new Date(Date.parse(OWN_TIME) + 3_600_000).toUTCString() };
  const late = json(401, { error: 'authentication_failed', message: 'No.' }, date);
  const service = aService(late, refused);
  await expect(create(aClient(service))).rejects.toMatchObject({ isRepeat: false });
  expect(service.sent).toHaveLength(2);
});

it('an answer that holds no intent says it too', async () => {
  const creating = create(aClient(aService(networkFailure, json(201, {}))));
  await expect(creating).rejects.toMatchObject({ code: 'unexpected_answer', isRepeat: true });
});
