// Spec, "Endpoints" and "Request signing", as a partner's backend uses them through the SDK.
import { canonicalRequest } from '../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../src/signing/hmac';
import { ApiError, ConnectionError, createClient, type ClientOptions } from '../../src/sdk';
import { aService, json, networkFailure, WIRE_INTENT, type SentRequest } from './stub-service';
import type { StubService } from './stub-service';

const SECRET = 'a signing secret';
const INTENT_ID = WIRE_INTENT.intent_id;
const ORDER = { partnerUserId: 'user-4711', amountUsdCents: 1250, corridor: 'th_qrpay' } as const;

const unavailable = json(503, { error: 'internal_error', message: 'Try again.' });

function aClient(service: StubService, options: Partial<ClientOptions> = {}) {
  const pauses: number[] = [];
  const client = createClient({
    baseUrl: 'https://pay.example/',
    keyId: 'acme_sandbox_2025q1',
    signingSecret: SECRET,
    fetch: service.fetch,
    now: () => new Date('2025-01-15T10:30:00Z'),
    wait: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    ...options,
  });
  return { client, pauses };
}

/** The signature that the service would compute from what arrived. */
function expectedSignature({ method, url, headers, body }: SentRequest): string {
  const timestamp = headers.get('x-service-timestamp') ?? '';
  const nonce = headers.get('x-service-nonce') ?? '';
  const path = url.pathname;
  return signCanonicalRequest(canonicalRequest({ method, path, timestamp, nonce, body }), SECRET);
}

describe('createIntent', () => {
  it('posts the documented members and reads the intent back', async () => {
    const service = aService(json(201, WIRE_INTENT));
    const intent = await aClient(service).client.createIntent(ORDER);
    expect(intent).toEqual({
      intentId: INTENT_ID,
      status: 'created',
      amountUsdCents: 1250,
      corridor: 'th_qrpay',
      createdAt: new Date('2025-01-15T10:30:00Z'),
      capturedAt: null,
    });
    const [sent] = service.sent;
    expect(`${sent?.method ?? ''} ${sent?.url.href ?? ''}`).toBe(
      'POST https://pay.example/v1/payment_intents',
    );
    expect(sent?.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(String(sent?.body))).toEqual({
      partner_user_id: 'user-4711',
      amount_usd_cents: 1250,
      corridor: 'th_qrpay',
    });
  });

  it('signs the exact bytes that it sends', async () => {
    const service = aService(json(201, WIRE_INTENT));
    await aClient(service).client.createIntent({ ...ORDER, partnerUserId: 'ผู้ใช้ "é"' });
    const [sent] = service.sent.map((request) => ({
      given: request.headers.get('x-service-signature'),
      expected: expectedSignature(request),
      keyId: request.headers.get('x-service-key-id'),
      timestamp: request.headers.get('x-service-timestamp'),
      nonce: request.headers.get('x-service-nonce'),
    }));
    expect(sent?.given).toBe(sent?.expected);
    expect(sent?.keyId).toBe('acme_sandbox_2025q1');
    expect(sent?.timestamp).toBe('2025-01-15T10:30:00.000Z');
    expect(sent?.nonce).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['a 503', unavailable],
    ['a network error', networkFailure],
  ])('repeats after %s with the same idempotency key and a fresh nonce', async (_, failure) => {
    const service = aService(failure, failure, json(201, WIRE_INTENT));
    const { client, pauses } = aClient(service);
    await client.createIntent(ORDER);
    const header = (name: string) => service.sent.map(({ headers }) => headers.get(name));
    expect(new Set(header('idempotency-key')).size).toBe(1);
    expect(header('idempotency-key')[0]).toMatch(/^[\x21-\x7e]{1,256}$/);
    expect(new Set(header('x-service-nonce')).size).toBe(3);
    expect(header('x-service-signature')).toEqual(service.sent.map(expectedSignature));
    expect(pauses).toHaveLength(2);
  });

  it('sends the key it is given, and draws a new one for each call otherwise', async () => {
    const service = aService(json(201, WIRE_INTENT));
    const { client } = aClient(service);
    await client.createIntent({ ...ORDER, idempotencyKey: 'order-815' });
    await client.createIntent(ORDER);
    await client.createIntent(ORDER);
    const keys = service.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toBe('order-815');
    expect(new Set(keys).size).toBe(3);
  });

  it('pauses as long as Retry-After asks, and never over 5 s', async () => {
    const busy = (seconds: string) => json(503, {}, { 'retry-after': seconds });
    const service = aService(busy('2'), busy('3600'), json(201, WIRE_INTENT));
    const { client, pauses } = aClient(service);
    await client.createIntent(ORDER);
    expect(pauses[0]).toBeGreaterThanOrEqual(2_000);
    expect(pauses[1]).toBe(5_000);
  });

  it('gives up after three attempts, with what the service said last', async () => {
    const service = aService(unavailable);
    const creating = aClient(service).client.createIntent(ORDER);
    await expect(creating).rejects.toMatchObject({ status: 503, code: 'internal_error' });
    expect(service.sent).toHaveLength(3);
  });

  it('gives up after three attempts without an answer, keeping the cause', async () => {
    const error: unknown = await aClient(aService(networkFailure))
      .client.createIntent(ORDER)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, cause: { message: 'fetch failed' } });
  });

  it('ends an attempt that takes longer than it may', async () => {
    const hangs: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const service = { fetch: hangs, sent: [] };
    const { client } = aClient(service, { timeoutMs: 1, maxAttempts: 1 });
    await expect(client.createIntent(ORDER)).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('a refusal', () => {
  it.each([
    ['flat', { error: 'authorization_failed', message: 'No.' }],
    ['nested', { error: { code: 'authorization_failed', message: 'No.', request_id: 'r-2' } }],
  ])('is an ApiError with status, code, message and request id (%s envelope)', async (_, body) => {
    const service = aService(json(403, body, { 'x-request-id': 'r-1' }));
    const error: unknown = await aClient(service)
      .client.getIntent(INTENT_ID)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 403,
      code: 'authorization_failed',
      message: 'No.',
      requestId: 'r-1',
    });
    expect(service.sent).toHaveLength(1);
  });

  it.each([
    ['a page of a proxy', () => new Response('<html>', { status: 400 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/x' } })],
    ['an intent without its members', json(200, { intent_id: INTENT_ID })],
    ['a 200 that is no JSON', () => new Response('', { status: 200 })],
  ])('is told as an unexpected answer when it is %s', async (_, answer) => {
    const getting = aClient(aService(answer)).client.getIntent(INTENT_ID);
    await expect(getting).rejects.toMatchObject({ name: 'ApiError', code: 'unexpected_answer' });
  });
});

describe('getIntent', () => {
  it('never follows a redirect, which would carry the signature elsewhere', async () => {
    const service = aService(json(200, WIRE_INTENT));
    await aClient(service).client.getIntent(INTENT_ID);
    expect(service.sent[0]?.redirect).toBe('manual');
  });

  it('signs a request without a body and reads when it was captured', async () => {
    const captured = { ...WIRE_INTENT, status: 'captured', captured_at: '2025-01-15T10:30:02Z' };
    const service = aService(json(200, captured));
    const intent = await aClient(service).client.getIntent(INTENT_ID);
    expect(intent.capturedAt).toEqual(new Date('2025-01-15T10:30:02Z'));
    const [sent] = service.sent;
    expect(`${sent?.method ?? ''} ${sent?.url.pathname ?? ''}`).toBe(
      `GET /v1/payment_intents/${INTENT_ID}`,
    );
    expect(service.sent.map(expectedSignature)).toEqual([sent?.headers.get('x-service-signature')]);
  });
});

describe('cancelIntent', () => {
  const conflict = json(409, { error: 'conflict', message: 'Too late.' });
  const cancelled = json(200, { ...WIRE_INTENT, status: 'cancelled' });

  it('answers with the cancelled intent', async () => {
    const service = aService(cancelled);
    const intent = await aClient(service).client.cancelIntent(INTENT_ID);
    expect(intent.status).toBe('cancelled');
    expect(service.sent[0]?.url.pathname).toBe(`/v1/payment_intents/${INTENT_ID}/cancel`);
  });

  it('throws conflict when it is too late', async () => {
    const cancelling = aClient(aService(conflict)).client.cancelIntent(INTENT_ID);
    await expect(cancelling).rejects.toMatchObject({ status: 409, code: 'conflict' });
  });

  it('takes a conflict for success when its own earlier attempt cancelled', async () => {
    const service = aService(networkFailure, conflict, cancelled);
    const intent = await aClient(service).client.cancelIntent(INTENT_ID);
    expect(intent.status).toBe('cancelled');
    expect(service.sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  it('still throws conflict after a repeat when the intent went another way', async () => {
    const captured = json(200, { ...WIRE_INTENT, status: 'captured' });
    const cancelling = aClient(aService(networkFailure, conflict, captured)).client;
    await expect(cancelling.cancelIntent(INTENT_ID)).rejects.toMatchObject({ code: 'conflict' });
  });
});
