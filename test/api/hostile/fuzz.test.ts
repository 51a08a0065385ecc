// Decision 24: "No request ends a process, and no answer holds a stack trace", for random requests.
// Each has one answer on a connection that is closed. None is a 5xx, and none is logged as a
// failure.
import fc from 'fast-check';
import { withApi } from '../../support/brackets';
import { mintToken, sign } from '../../support/payments/partner';
import { rawRequest, type RawHeaders } from '../../support/http/raw-http';
import { expectRejection } from './world';

const { app, partner, intent } = withApi();

interface Fuzzed {
  readonly method: string;
  readonly path: string;
  readonly credentials: 'none' | 'signature' | 'token';
  readonly headers: RawHeaders;
  readonly body: Buffer;
}

const GOOD = '{"partner_user_id":"u","amount_usd_cents":1,"corridor":"th_qrpay"}';
const oneOf = (words: string) => fc.constantFrom(...words.split(' '));

/** Almost valid values, because most random ones are rejected at the first step. */
const methods = oneOf('GET POST POST POST PUT DELETE OPTIONS TRACE X');
const segments = fc.oneof(
  oneOf('v1 payment_intents ID confirm cancel healthz  .. %00 %zz'),
  fc.string({ unit: fc.constantFrom(...Array.from('a%2f\\?#&;\xff*')) }),
);
const paths = fc.oneof(
  oneOf('/v1/payment_intents /v1/payment_intents/ID /v1/payment_intents/ID?x=%'),
  oneOf('/v1/payment_intents/ID/confirm /v1/payment_intents/ID/cancel'),
  fc.array(segments, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
);
const names = fc.oneof(
  oneOf('Content-Type Content-Encoding Idempotency-Key Prefer X-Forwarded-For'),
  oneOf('Authorization X-Service-Nonce X-Service-Timestamp Accept Host Upgrade'),
  oneOf('__proto__ constructor Cookie Origin X-HTTP-Method-Override TE'),
);
const values = fc.oneof(
  oneOf('application/json gzip key wait=1 respond-async 127.0.0.1 '),
  fc.string({ unit: fc.constantFrom(...Array.from('a",;=\xff\t %0\\')) }),
);
const bodies = fc.oneof(
  fc
    .constantFrom('', '{}', '[', GOOD, GOOD.replace('1', '1e9'), '{"a":'.repeat(5_000))
    .map(Buffer.from),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const requests: fc.Arbitrary<Fuzzed> = fc.record({
  method: methods,
  path: paths.map((path) => path.replaceAll('\xff', '%ff')),
  credentials: fc.constantFrom('none', 'signature', 'signature', 'token'),
  headers: fc.array(fc.tuple(names, values), { maxLength: 4 }),
  body: bodies,
});

/** One valid request, which shows that the others could succeed too. */
const GOOD_CREATE: Fuzzed = {
  method: 'POST',
  path: '/v1/payment_intents',
  credentials: 'signature',
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(GOOD),
};

function credentialsFor({ method, path, credentials, body }: Fuzzed): RawHeaders {
  const signedPath = path.split('?', 1)[0] ?? '';
  switch (credentials) {
    case 'none':
      return [];
    case 'signature':
      return Object.entries(sign(partner, { method, path: signedPath, body }));
    case 'token':
      return [['Authorization', `Bearer ${mintToken(partner, intent)}`]];
  }
}

async function answerTo(fuzzed: Fuzzed) {
  const path = fuzzed.path.replaceAll('ID', intent.intentId);
  const { method, headers, body } = fuzzed;
  const length = ['Content-Length', String(body.length)] as const;
  const all = [length, ...credentialsFor({ ...fuzzed, path }), ...headers];
  const head = Buffer.from(rawRequest(`${method} ${path} HTTP/1.1`, all), 'latin1');
  return app.sendRaw(Buffer.concat([head, body]));
}

it('every random request has one answer, which is not a failure', async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(requests, async (fuzzed) => {
      const replies = await answerTo(fuzzed);
      expect(replies).toHaveLength(1);
      const { status = 0 } = replies[0] ?? {};
      statuses.add(status);
      expect([200, 201, 400, 401, 403, 404, 409]).toContain(status);
      if ([400, 401, 404].includes(status)) expectRejection(replies, status);
    }),
    { numRuns: 200, examples: [[GOOD_CREATE]] },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([201, 400, 401, 404]));
  expect(app.lines.filter((line) => line.includes('request failed'))).toEqual([]);
});

it('random bytes have one answer or none, and the next request is served', async () => {
  const pieces = fc.constantFrom(
    ...['GET ', '/', ' HTTP/1.1', '\r\n', '\r\n\r\n', 'Host: x', ':', '\0', '\xff', ' ', 'POST '],
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: pieces, maxLength: 20 }), async (text) => {
      // The last line is not HTTP, so the parser does not wait for more bytes.
      const replies = await app.sendRaw(Buffer.from(`${text}\r\n\0\r\n\r\n`, 'latin1'));
      for (const reply of replies) expect([400, 404]).toContain(reply.status);
      expect(await app.send({ path: '/healthz' })).toMatchObject({ status: 200 });
    }),
    { numRuns: 100 },
  );
});
