// Spec, "Errors"; decisions 2, 4, 24 and 33: one envelope for every refusal, and a request id on every response.
import { withApi } from '../support/brackets';
import { anIntent } from '../support/builders';
import { startApp, type Reply, type TestApp } from '../support/app';

const REQUEST_ID = /^req_[0-9a-f]{24}$/;
const JSON_TYPE = 'application/json; charset=utf-8';
const NONE = { status: 0, head: '', text: '{}' };

const { bed, app, partner } = withApi();

function expectRefusal(reply: Reply, status: number, code: string): void {
  expect([reply.status, reply.headers['content-type']]).toEqual([status, JSON_TYPE]);
  expect(reply.headers['x-request-id']).toMatch(REQUEST_ID);
  expect(JSON.parse(reply.text)).toEqual({ error: code, message: expect.any(String) as string });
}

describe('an unknown path or method is 404 in the envelope', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v1/payment_intents'],
    ['POST', '/v1/payment_intents/'],
    ['POST', '/V1/payment_intents'],
    ['PUT', '/v1/payment_intents'],
    ['DELETE', '/v1/payment_intents/pi_00000000000000000000000000'],
    ['OPTIONS', '/v1/payment_intents'],
    ['PATCH', '/healthz'],
    ['GET', '/v1/payment_intents/pi_00000000000000000000000000/confirm'],
    ['POST', '/v1/payment_intents/pi_00000000000000000000000000/capture'],
    ['GET', '/v2/payment_intents'],
    ['GET', '/metrics'],
  ])('%s %s', async (method, path) => {
    expectRefusal(await app.send({ method, path }), 404, 'not_found');
  });
});

describe('credentials come first: without them everything under an intent is 401', () => {
  const MALFORMED = [
    'x',
    'pi_',
    `pi_${'u'.repeat(26)}`,
    '%00',
    '%zz',
    '..%2f..',
    'a'.repeat(2_000),
  ];

  it.each(MALFORMED)('GET of the malformed id %s', async (id) => {
    const reply = await app.send({ path: `/v1/payment_intents/${id}` });
    expectRefusal(reply, 401, 'authentication_failed');
  });

  it.each(MALFORMED)('and with them the malformed id %s is 404', async (id) => {
    const reply = await app.sendSigned(partner, { path: `/v1/payment_intents/${id}` });
    expectRefusal(reply, 404, 'not_found');
  });

  it.each(['confirm', 'cancel'])('POST of %s', async (verb) => {
    const { intentId } = await anIntent(bed, partner);
    const path = `/v1/payment_intents/${intentId}/${verb}`;
    expectRefusal(await app.send({ method: 'POST', path }), 401, 'authentication_failed');
  });
});

describe('the request id', () => {
  it('is there on a success, and another one each time', async () => {
    const replies = [await app.send({ path: '/healthz' }), await app.send({ path: '/healthz' })];
    const ids = replies.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual([expect.stringMatching(REQUEST_ID), expect.stringMatching(REQUEST_ID)]);
    expect(new Set(ids).size).toBe(2);
  });

  it('is the word by which the log tells the request', async () => {
    const reply = await app.send({ path: '/nowhere' });
    const told = app.lines.filter((line) => line.includes(String(reply.headers['x-request-id'])));
    expect(told).toHaveLength(1);
  });
});

describe('what Node refuses by itself is in the envelope too', () => {
  it.each([
    ['a request that is not HTTP', 'hello\r\n\r\n'],
    ['headers over 32 kB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
    [
      'two different lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
    ['a missing Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
  ])('%s is 400', async (_name, text) => {
    const [reply = NONE] = await app.sendRaw(text);
    expect(reply.status).toBe(400);
    expect(reply.head).toMatch(/^x-request-id: req_[0-9a-f]{24}$/im);
    expect(JSON.parse(reply.text)).toEqual({
      error: 'validation_failed',
      message: expect.any(String) as string,
    });
  });

  it('an expectation that nobody can meet is in the envelope', async () => {
    const text = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n';
    const [{ head, text: body } = NONE] = await app.sendRaw(text);
    expect(head).toMatch(/^x-request-id: req_[0-9a-f]{24}$/im);
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['error', 'message']);
  });
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
  it('is ok as long as the process is', async () => {
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
