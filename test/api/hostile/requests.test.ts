// Decision 24: hostile paths, headers and targets are 401 or 404 in the envelope, with valid
// credentials or without.
import { pathOf, type Outgoing } from '../../support/app';
import { withApi } from '../../support/brackets';
import { sign } from '../../support/payments/partner';
import { rawRequest, type RawHeaders } from '../../support/http/raw-http';
import { countRows, expectRejection } from './world';

const INTENTS = '/v1/payment_intents';
const { bed, app, partner, intent } = withApi();

type Headers = NonNullable<Outgoing['headers']>;
const signedGet = () => sign(partner, { method: 'GET', path: pathOf(intent) });
const get = (headers: Headers, path = pathOf(intent)) => app.send({ path, headers });
const words = (text: string) => text.trim().split(/\s+/);

/** ID stands for the id of an existing intent. */
const PATHS = [
  ...words(
    `%00 ID%00 %zz % .. . ../../etc/passwd ..%2f..%2fetc%2fpasswd %2e%2e ID%2f ID%20 ID;a=b`,
  ),
  ...words(`ID.json ID%0d%0aX-A:%20b ID,ID ID\\..\\ID %ff%fe %e2%82 %CF%80 __proto__ constructor`),
  ...words(`toString :intent_id * (.*) $%7B7*7%7D undefined '%20or%201=1-- pi_ pi_%`),
  ...['<script>alert(1)</script>', '💡'.repeat(100), 'a'.repeat(20_000)],
].map((rest) => `${INTENTS}/${rest}`);

const TARGETS = words(`
  / // //v1/payment_intents/ID /v1//payment_intents/ID /v1/payment_intents//ID
  /v1/payment_intents/ID/
  /v1/payment_intents/ID//cancel /v1/payment_intents/x/../ID /V1/payment_intents/ID
  /v1/Payment_Intents/ID /%761/payment_intents/ID /v1/payment_intents%2FID /v1/payment%5fintents/ID
  /.env /.git/config /package.json /v1/payment_intents/ID/__proto__ /healthz/ /healthz/..
  //evil.example/%2e%2e /?a=b /#x /v1 /v1/payment_intents /v1/payment_intents/ID/confirm
  /v2/payment_intents /metrics
`);

describe('a path', () => {
  const encoded = (path: string) =>
    path.replaceAll('ID', intent.intentId).replaceAll('💡', encodeURIComponent('💡'));

  it.each(PATHS.map((path) => [path.slice(0, 60), path]))(
    '%s is 404 with valid credentials, and 401 or 404 without',
    async (_name, path) => {
      const sent = encoded(path);
      expectRejection(await app.sendSigned(partner, { path: sent }), 404);
      expect([401, 404]).toContain((await get({}, sent)).status);
    },
  );

  it.each(TARGETS)('%s is 404, with or without credentials', async (path) => {
    const sent = encoded(path);
    expectRejection(await app.sendSigned(partner, { path: sent }), 404);
    expectRejection(await get({}, sent), 404);
  });

  it.each([
    ...['GET http://x/v1/payment_intents HTTP/1.1', 'GET http://[ HTTP/1.1', 'OPTIONS * HTTP/1.1'],
    ...['GET x HTTP/1.1', 'GET \\v1\\payment_intents HTTP/1.1', 'GET http:// HTTP/1.1'],
    ...['GET ftp://x/ HTTP/1.1', 'POST mailto:a@b HTTP/1.1'],
  ])('is missing in %s, which is 404 or 400', async (line) => {
    const replies = await app.sendRaw(rawRequest(line));
    expectRejection(replies, replies[0]?.status === 400 ? 400 : 404);
  });

  it('in bytes that are not ASCII is 400 or 401', async () => {
    const line = Buffer.from(rawRequest(`GET ${INTENTS}/\xff\xfe HTTP/1.1`), 'latin1');
    const replies = await app.sendRaw(line);
    expect(replies).toHaveLength(1);
    expect([400, 401]).toContain(replies[0]?.status);
  });

  it('of 40 kB is 400', async () => {
    expectRejection(await app.sendRaw(rawRequest(`GET /${'a'.repeat(40_000)} HTTP/1.1`)), 400);
  });
});

describe('a method that is not served', () => {
  it.each(['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'SEARCH', 'LOCK', 'OPTIONS', 'QUERY'])(
    '%s is 404 on all intents and on one, with credentials or without',
    async (method) => {
      for (const path of [INTENTS, pathOf(intent)]) {
        expectRejection(await app.sendSigned(partner, { method, path }), 404);
        expectRejection(await app.send({ method, path }), 404);
      }
    },
  );

  it('HEAD is 404, without a body', async () => {
    const reply = await app.sendSigned(partner, { method: 'HEAD', path: INTENTS });
    expect([reply.status, reply.text]).toEqual([404, '']);
  });

  // Node's parser does not accept these methods in HTTP, so the application gets no request.
  it.each(['STEAL', 'GETX', 'get', 'DESCRIBE', 'X', "!#$%&'*+-.^_`|~", 'G'.repeat(1_000)])(
    'and unknown, %s, is 404 and the last answer on its connection',
    async (method) => {
      for (const version of ['1.1', '1.0']) {
        const lines = `${rawRequest(`${method} ${INTENTS} HTTP/${version}`)}${rawRequest(`GET / HTTP/1.1`)}`;
        const replies = await app.sendRaw(lines);
        expectRejection(replies, 404);
        expect(replies[0]?.head).toMatch(/^connection: close$/im);
      }
    },
  );

  it.each([
    ...['STEAL / HTTP/2.0', 'STEAL / RTSP/1.0', 'STEAL /', 'STEAL  / HTTP/1.1', 'ST(L / HTTP/1.1'],
    ...['STEAL / / HTTP/1.1', 'STEAL /\x80 HTTP/1.1', 'HTTP/1.1 200 OK', '\x16\x03\x01 / HTTP/1.1'],
  ])('in a line that is not an HTTP/1 request line is 400: %j', async (line) => {
    expectRejection(await app.sendRaw(Buffer.from(rawRequest(line), 'latin1')), 400);
  });

  it('in a header is ignored', async () => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE', ...signedGet() };
    expect(await get(headers)).toMatchObject({ status: 200 });
  });
});

describe('headers together with valid credentials', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', "!#$%&'*+-.^_`|~", '0'];

  it.each(NAMES)('named %s change nothing', async (name) => {
    expect(await get({ ...signedGet(), [name]: 'x' })).toMatchObject({ status: 200 });
  });

  const many = (count: number): RawHeaders =>
    Array.from({ length: count }, (_, n) => [`a${String(n)}`, 'b']);
  const getRaw = (headers: RawHeaders) =>
    app.sendRaw(rawRequest(`GET ${pathOf(intent)} HTTP/1.1`, headers));

  it('in a number of 1 500 change nothing and hide no repeated header', async () => {
    const behind = await getRaw([...many(1_500), ...Object.entries(signedGet())]);
    expect(behind).toMatchObject([{ status: 200 }]);
    const signed = Object.entries(signedGet());
    const again = signed.slice(2, 3);
    expectRejection(await getRaw([...signed, ...many(1_500), ...again]), 401);
  });

  it('of more than 32 kB are 400', async () => {
    const replies = await getRaw(many(9_000));
    expectRejection(replies, 400);
    expect(replies[0]?.text).toContain('The headers are larger than 32768 bytes.');
  });
});

describe('credentials', () => {
  const LONG = 'k'.repeat(20_000);
  const HOSTILE: readonly (readonly [string, () => Headers])[] = [
    ['a token of 20 kB', () => ({ Authorization: `Bearer ${LONG}` })],
    ['a token of 20 kB of dots', () => ({ Authorization: `Bearer ${'.'.repeat(20_000)}` })],
    ['8 000 dots', () => ({ Authorization: `Bearer ${'.'.repeat(8_000)}` })],
    ['a bearer of blanks', () => ({ Authorization: `Bearer${' '.repeat(20_000)}a b` })],
    ['a bearer of nothing', () => ({ Authorization: 'Bearer' })],
    ['an empty Authorization', () => ({ Authorization: '' })],
    ['a password', () => ({ Authorization: 'Basic YTpi' })],
    ['a signature and an empty bearer', () => ({ ...signedGet(), Authorization: 'Bearer' })],
    ['two tokens', () => ({ Authorization: ['Bearer a.b.c', 'Bearer a.b.c'] })],
    ...words('Key-Id Timestamp Nonce Signature').flatMap((end) =>
      [LONG, '', '\xff\xfe', '__proto__', 'constructor', '0', "' or 1=1 --", '%00'].map(
        (value) =>
          [
            `X-Service-${end} of ${value.slice(0, 12)}`,
            () => ({ ...signedGet(), [`X-Service-${end}`]: value }),
          ] as const,
      ),
    ),
  ];

  it.each(HOSTILE)('of %s are 401, and the answer does not repeat them', async (_name, headers) => {
    const reply = await get(headers());
    expectRejection(reply, 401);
    expect(reply.text).toBe('{"error":"authentication_failed","message":"Authentication failed."}');
  });
});

describe('a request without credentials', () => {
  const BODIES = ['', '[', '{"__proto__":{}}', '\xff', '0'.repeat(65_536), '['.repeat(65_536)];
  const HEADERS: readonly Headers[] = [
    {},
    { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
    { Authorization: 'Bearer a.b.c', Prefer: 'wait="' },
    { 'X-Forwarded-For': '127.0.0.1', 'X-Service-Key-Id': 'k' },
  ];

  it('is 401 or 404 on every path, and changes no row', async () => {
    const paths = [INTENTS, pathOf(intent), pathOf(intent, 'confirm'), pathOf(intent, 'cancel')];
    const before = await countRows(bed);
    for (const path of [...paths, '/', '/healthz', `${INTENTS}/%00`]) {
      for (const headers of HEADERS) {
        for (const body of BODIES) {
          const reply = await app.send({ method: 'POST', path, headers, body });
          expect([401, 404]).toContain(reply.status);
        }
      }
    }
    expect(await countRows(bed)).toBe(before);
  });
});
