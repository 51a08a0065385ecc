// One envelope for every rejection, and a request id on every response (protocol 8.1; decisions 2,
// 4, 24 and 33).
import { withApi } from '../support/brackets';
import { pathOf, startApp, type TestApp } from '../support/app';
import { expectRejection } from './hostile/world';

const REQUEST_ID = /^req_[0-9a-f]{24}$/;
const UNKNOWN_INTENT = { intentId: 'pi_00000000000000000000000000' };

const { bed, app, partner, intent } = withApi();

it.each([
  ['POST', '/v1/payment_intents/'],
  ['POST', '/V1/payment_intents'],
  ['DELETE', pathOf(UNKNOWN_INTENT)],
  ['PATCH', '/healthz'],
  ['POST', `${pathOf(UNKNOWN_INTENT)}/capture`],
])('an unknown path or method is 404 in the envelope: %s %s', async (method, path) => {
  expectRejection(await app.send({ method, path }), 404);
});

describe('credentials are checked first', () => {
  it.each(['x', `pi_${'u'.repeat(26)}`, '%zz', 'a'.repeat(2_000)])(
    'the malformed id %s is 401 without them, and 404 with them',
    async (intentId) => {
      const path = pathOf({ intentId });
      expectRejection(await app.send({ path }), 401);
      expectRejection(await app.sendSigned(partner, { path }), 404);
    },
  );

  it.each(['confirm', 'cancel'] as const)('without them %s is 401', async (action) => {
    expectRejection(await app.send({ method: 'POST', path: pathOf(intent, action) }), 401);
  });
});

describe('the request id', () => {
  it('is on every success, and different each time', async () => {
    const replies = [await app.send({ path: '/healthz' }), await app.send({ path: '/healthz' })];
    const ids = replies.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual([expect.stringMatching(REQUEST_ID), expect.stringMatching(REQUEST_ID)]);
    expect(new Set(ids).size).toBe(2);
  });

  it('is in the log line of the request', async () => {
    const reply = await app.send({ path: '/nowhere' });
    const lines = app.lines.filter((line) => line.includes(String(reply.headers['x-request-id'])));
    expect(lines).toHaveLength(1);
  });
});

it('a request with an unknown Expect header is answered in the envelope', async () => {
  const text = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n';
  expectRejection(await app.sendRaw(text), 404);
});

describe('ERROR_ENVELOPE=nested', () => {
  let nested: TestApp;
  beforeAll(async () => {
    nested = await startApp(bed, { settings: { errorEnvelope: 'nested' } });
  });
  afterAll(() => nested.close());

  it.each([
    ['GET', '/nowhere', 404, 'not_found'],
    ['POST', '/v1/payment_intents', 401, 'authentication_failed'],
  ])('%s %s has code, message and request_id inside `error`', async (...parts) => {
    const [method, path, status, code] = parts;
    const reply = await nested.send({ method, path });
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toEqual({
      error: {
        code,
        message: expect.any(String) as string,
        request_id: reply.headers['x-request-id'],
      },
    });
  });
});

describe('health', () => {
  it('is ok while the process runs', async () => {
    expect(await app.send({ path: '/healthz' })).toMatchObject({
      status: 200,
      text: '{"status":"ok"}',
    });
  });

  it('is ready only while Postgres answers', async () => {
    expect(await app.send({ path: '/readyz' })).toMatchObject({
      status: 200,
      text: '{"status":"ready","postgres":"up"}',
    });
    const down = await startApp(bed, { isDatabaseUp: () => Promise.resolve(false) });
    const reply = await down.send({ path: '/readyz' });
    await down.close();
    expect(reply).toMatchObject({ status: 503, text: '{"status":"not ready","postgres":"down"}' });
  });
});
