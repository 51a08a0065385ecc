// The SDK client: signing, retries and errors (protocol 3 and 5).
import { canonicalRequest } from '../../../src/signing/canonical-request';
import { signCanonicalRequest } from '../../../src/signing/hmac';
import { ApiError, ConnectionError } from '../../../src/sdk';
import {
  aClient,
  aService,
  cancelled,
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
  type SentRequest,
  type StubService,
} from './stub-service';

function aPausingClient(service: StubService) {
  const pauses: number[] = [];
  const wait = (ms: number) => Promise.resolve(void pauses.push(ms));
  return { client: aClient(service, { wait }), pauses };
}

/** The signature that the service would compute from what arrived. */
function expectedSignature({ method, url, headers, body }: SentRequest): string {
  const timestamp = headers.get('x-service-timestamp') ?? '';
  const nonce = headers.get('x-service-nonce') ?? '';
  const path = url.pathname;
  const canonical = canonicalRequest({ method, path, timestamp, nonce, body });
  return signCanonicalRequest(canonical, OPTIONS.signingSecret);
}

const thrownBy = (call: Promise<unknown>) => call.catch((thrown: unknown) => thrown);

describe('createIntent', () => {
  it('posts the documented members and reads the intent back', async () => {
    const service = aService(json(201, WIRE_INTENT));
    const intent = await aClient(service).createIntent(ORDER);
    expect(intent).toEqual({
      intentId: INTENT_ID,
      status: 'created',
      amountUsdCents: 1250,
      corridor: 'th_qrpay',
      createdAt: new Date(OWN_TIME),
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
    await aClient(service).createIntent({ ...ORDER, partnerUserId: 'ผู้ใช้ "é"' });
    expect(headersSent(service, 'x-service-signature')).toEqual(
      service.sent.map(expectedSignature),
    );
    expect(headersSent(service, 'x-service-key-id')).toEqual([OPTIONS.keyId]);
    expect(headersSent(service, 'x-service-timestamp')).toEqual([OWN_TIME]);
    expect(headersSent(service, 'x-service-nonce')).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });

  it.each([
    ['a 503', unavailable],
    ['a network error', networkFailure],
  ])('repeats after %s with the same idempotency key and a fresh nonce', async (_, failure) => {
    const service = aService(failure, failure, json(201, WIRE_INTENT));
    const { client, pauses } = aPausingClient(service);
    await client.createIntent(ORDER);
    const keys = headersSent(service, 'idempotency-key');
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(keys[0]).toMatch(/^[\x21-\x7e]{1,256}$/);
    expect(new Set(headersSent(service, 'x-service-nonce')).size).toBe(3);
    expect(headersSent(service, 'x-service-signature')).toEqual(
      service.sent.map(expectedSignature),
    );
    expect(pauses).toHaveLength(2);
  });

  it('sends the given idempotency key, and otherwise makes a new one for each call', async () => {
    const service = aService(json(201, WIRE_INTENT));
    const client = aClient(service);
    await client.createIntent(ORDER, { idempotencyKey: 'order-815' });
    await client.createIntent(ORDER);
    await client.createIntent(ORDER);
    const keys = headersSent(service, 'idempotency-key');
    expect(keys[0]).toBe('order-815');
    expect(new Set(keys).size).toBe(3);
  });

  it('pauses as long as Retry-After says, at most 5 s', async () => {
    const busy = (seconds: string) => json(503, {}, { 'retry-after': seconds });
    const service = aService(busy('2'), busy('3600'), json(201, WIRE_INTENT));
    const { client, pauses } = aPausingClient(service);
    await client.createIntent(ORDER);
    expect(pauses[0]).toBeGreaterThanOrEqual(2_000);
    expect(pauses[1]).toBe(5_000);
  });

  it('throws the last answer after three attempts', async () => {
    const service = aService(unavailable);
    const creating = aClient(service).createIntent(ORDER);
    await expect(creating).rejects.toMatchObject({ status: 503, code: 'internal_error' });
    expect(service.sent).toHaveLength(3);
  });

  it('throws ConnectionError with the cause after three attempts without an answer', async () => {
    const error = await thrownBy(aClient(aService(networkFailure)).createIntent(ORDER));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, cause: { message: 'fetch failed' } });
  });

  it('aborts an attempt after timeoutMs', async () => {
    const hangs: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const service = { fetch: hangs, sent: [] };
    const creating = aClient(service, { timeoutMs: 1, maxAttempts: 1 }).createIntent(ORDER);
    await expect(creating).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('a rejection', () => {
  it.each([
    ['flat', { error: 'authorization_failed', message: 'No.' }],
    ['nested', { error: { code: 'authorization_failed', message: 'No.', request_id: 'r-2' } }],
  ])('is an ApiError with status, code, message and request id (%s envelope)', async (_, body) => {
    const service = aService(json(403, body, { 'x-request-id': 'r-1' }));
    const error = await thrownBy(aClient(service).getIntent(INTENT_ID));
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
    ['a 200 that is not JSON', () => new Response('', { status: 200 })],
  ])('has the code unexpected_answer when it is %s', async (_, answer) => {
    const getting = aClient(aService(answer)).getIntent(INTENT_ID);
    await expect(getting).rejects.toMatchObject({ name: 'ApiError', code: 'unexpected_answer' });
  });
});

describe('getIntent', () => {
  it('never follows a redirect, which would send the signature elsewhere', async () => {
    const service = aService(json(200, WIRE_INTENT));
    await aClient(service).getIntent(INTENT_ID);
    expect(service.sent[0]?.redirect).toBe('manual');
  });

  it('signs a request without a body and reads captured_at', async () => {
    const captured = { ...WIRE_INTENT, status: 'captured', captured_at: '2025-01-15T10:30:02Z' };
    const service = aService(json(200, captured));
    const intent = await aClient(service).getIntent(INTENT_ID);
    expect(intent.capturedAt).toEqual(new Date('2025-01-15T10:30:02Z'));
    const [sent] = service.sent;
    expect(`${sent?.method ?? ''} ${sent?.url.pathname ?? ''}`).toBe(
      `GET /v1/payment_intents/${INTENT_ID}`,
    );
    expect(service.sent.map(expectedSignature)).toEqual([sent?.headers.get('x-service-signature')]);
  });
});

describe('cancelIntent', () => {
  it('returns the cancelled intent', async () => {
    const service = aService(cancelled);
    const intent = await aClient(service).cancelIntent(INTENT_ID);
    expect(intent.status).toBe('cancelled');
    expect(service.sent[0]?.url.pathname).toBe(`/v1/payment_intents/${INTENT_ID}/cancel`);
  });

  it('throws conflict when it is too late', async () => {
    const cancelling = aClient(aService(conflict)).cancelIntent(INTENT_ID);
    await expect(cancelling).rejects.toMatchObject({ status: 409, code: 'conflict' });
  });

  it('treats a conflict as success when its own earlier attempt cancelled', async () => {
    const service = aService(networkFailure, conflict, cancelled);
    const intent = await aClient(service).cancelIntent(INTENT_ID);
    expect(intent.status).toBe('cancelled');
    expect(service.sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  it('throws conflict after a retry when the intent is not cancelled', async () => {
    const captured = json(200, { ...WIRE_INTENT, status: 'captured' });
    const client = aClient(aService(networkFailure, conflict, captured));
    await expect(client.cancelIntent(INTENT_ID)).rejects.toMatchObject({ code: 'conflict' });
  });
});
