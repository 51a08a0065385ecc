// What a client is made of is checked when it is made: a setting that is not there shall not look like a refusal.
import { createClient, type ClientOptions } from '../../src/sdk';
import { aService, json, networkFailure, WIRE_INTENT } from './stub-service';

const OPTIONS: ClientOptions = {
  baseUrl: 'https://pay.example',
  keyId: 'acme_sandbox_2025q1',
  signingSecret: 'a signing secret',
  wait: () => Promise.resolve(),
};
const ORDER = { partnerUserId: 'u', amountUsdCents: 1, corridor: 'th_qrpay' } as const;

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
    const client = createClient({ ...untyped(given), fetch: service.fetch });
    await expect(client.getIntent('pi_x')).rejects.toMatchObject({ attempts: 3 });
  });
});

describe('an idempotency key', () => {
  const creating = (idempotencyKey: string) => {
    const service = aService(json(201, WIRE_INTENT));
    const client = createClient({ ...OPTIONS, fetch: service.fetch });
    return { service, done: client.createIntent({ ...ORDER, idempotencyKey }) };
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
    expect(service.sent[0]?.headers.get('idempotency-key')).toBe(key);
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
    const client = createClient({ ...OPTIONS, fetch: service.fetch });
    await expect(client.getIntent('pi_x')).rejects.toMatchObject({ code: 'unexpected_answer' });
    expect(sent).toBeLessThan(10);
  });
});
