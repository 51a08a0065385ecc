// Each step of signature verification fails alone, and every 401 looks the same (protocol 3.4;
// decisions 12, 22, 24 and 26).
import { withApi } from '../../support/brackets';
import { aNonce, countOf, times } from '../../support/builders';
import { pathOf, type Outgoing, type Reply } from '../../support/app';
import { NOON, secondsAfter } from '../../support/clock';
import { sign } from '../../support/payments/partner';

const { bed, app, partner, intent } = withApi({ poolSize: 16 });
let path: string;
beforeAll(() => {
  path = pathOf(intent);
});

type Headers = NonNullable<Outgoing['headers']>;
const get = (headers: Headers) => app.send({ path, headers });
const signGet = (parts: Partial<Parameters<typeof sign>[1]> = {}) =>
  sign(partner, { method: 'GET', path, ...parts });
const without = (name: string) =>
  Object.fromEntries(Object.entries(signGet()).filter(([key]) => key !== name));

describe('a signed request', () => {
  it('is accepted when all five steps pass', async () => {
    expect(await get(signGet())).toMatchObject({ status: 200 });
    expect(app.rejections).toEqual([]);
  });

  it('may have header names in any case', async () => {
    const upper = Object.entries(signGet()).map(([name, value]) => [name.toUpperCase(), value]);
    expect(await get(Object.fromEntries(upper) as Headers)).toMatchObject({ status: 200 });
  });

  it('is signed without its query string, which the service ignores', async () => {
    const reply = await app.sendSigned(partner, { path: `${path}?status=captured` });
    expect(reply.status).toBe(200);
  });

  it('with a body on GET is signed with its digest, and the body is ignored', async () => {
    const body = 'not json';
    const headers = signGet({ body });
    expect(await app.send({ path, headers, body })).toMatchObject({ status: 200 });
    const other = await app.send({ path, headers: signGet(), body });
    expect(other.status).toBe(401);
  });
});

const HEADERS = ['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map((end) => `X-Service-${end}`);
const signBy = (who: Partial<typeof partner>) =>
  sign({ ...partner, ...who }, { method: 'GET', path });

/** Invalid requests, by the reason in the log, which the caller never sees. */
const REJECTED = Object.entries<Readonly<Record<string, () => Headers>>>({
  no_credentials: { 'no credentials at all': () => ({}) },
  header_missing_or_repeated: {
    ...Object.fromEntries(
      HEADERS.flatMap((name) => [
        [`no ${name}`, () => without(name)],
        [
          `a repeated ${name}`,
          () => {
            const value = signGet()[name] ?? '';
            return { ...signGet(), [name]: [value, value] };
          },
        ],
      ]),
    ),
  },
  key_unknown: { 'an unknown key': () => signBy({ key_id: 'nobody' }) },
  signature_wrong: {
    'a signature of another secret': () => signBy({ signing_secret: 'x' }),
    'a signature of another method': () => signGet({ method: 'POST' }),
    'a signature of another path': () => signGet({ path: `${path}x` }),
    'a signature with a query string in it': () => signGet({ path: `${path}?` }),
    'a signature of a body that was not sent': () => signGet({ body: '{}' }),
    'a signature without padding': () => changeSignature((text) => text.replace(/=$/, '')),
    'a signature in base64url': () => changeSignature(() => '-'.repeat(43)),
    'an empty signature': () => changeSignature(() => ''),
  },
  nonce_malformed: Object.fromEntries(
    ['ab'.repeat(16), 'a'.repeat(63), 'a'.repeat(65), 'AB'.repeat(32), 'g'.repeat(64), ''].map(
      (nonce) => [`the nonce "${nonce}"`, () => signGet({ nonce })],
    ),
  ),
  timestamp_not_within_5_minutes: Object.fromEntries(
    [
      ...[-301, 301, -300.001, 300.001].map((s) => secondsAfter(NOON, s).toISOString()),
      ...['2026-03-02T19:00:00+07:00', '2026-03-02T12:00:00-00:00', '2026-03-02T12:00:00', ''],
      ...['1772452800', '2026-02-30T12:00:00Z', 'Mon, 02 Mar 2026 12:00:00 GMT'],
      // Just outside the bounds, with many digits.
      ...['2026-03-02T12:05:00.0000000001Z', '2026-03-02T11:54:59.9999999999Z'],
    ].map((timestamp) => [`the timestamp "${timestamp}"`, () => signGet({ timestamp })]),
  ),
}).flatMap(([reason, requests]) =>
  Object.entries(requests).map(([name, headers]) => [name, reason, headers] as const),
);

function changeSignature(change: (text: string) => string): Headers {
  const headers = signGet();
  return { ...headers, 'X-Service-Signature': change(headers['X-Service-Signature'] ?? '') };
}

describe('a signed request is rejected with 401 for', () => {
  it.each(REJECTED)('%s', async (_name, reason, headers) => {
    expect(await get(headers())).toMatchObject({ status: 401 });
    expect(app.rejections).toEqual([reason]);
  });
});

it.each([
  ...[-300, -299, 299, 300].map((seconds) => secondsAfter(NOON, seconds).toISOString()),
  ...['2026-03-02T12:00:00Z', '2026-03-02T12:00:00+00:00', '2026-03-02T12:00:00.123456789Z'],
  ...['2026-03-02T12:05:00.0000000000Z', `2026-03-02T12:00:00.${'7'.repeat(20_000)}Z`],
])('the timestamp is within five minutes: %s', async (timestamp) => {
  expect(await get(signGet({ timestamp }))).toMatchObject({ status: 200 });
});

describe('a nonce', () => {
  it('that was seen is rejected, also on another endpoint', async () => {
    const nonce = aNonce();
    expect(await get(signGet({ nonce }))).toMatchObject({ status: 200 });
    expect(await get(signGet({ nonce }))).toMatchObject({ status: 401 });
    const cancel = { method: 'POST', path: pathOf(intent, 'cancel') };
    const again = await app.send({ ...cancel, headers: sign(partner, { ...cancel, nonce }) });
    expect(again.status).toBe(401);
    expect(app.rejections).toEqual(['nonce_seen', 'nonce_seen']);
  });

  it('admits exactly one of fifty simultaneous equal requests', async () => {
    const headers = signGet();
    const replies = await times(50, () => get(headers));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  it('is not used up by a request with a wrong signature', async () => {
    const nonce = aNonce();
    const wrong = { ...signGet({ nonce }), 'X-Service-Signature': 'x' };
    expect(await get(wrong)).toMatchObject({ status: 401 });
    expect(await get(signGet({ nonce }))).toMatchObject({ status: 200 });
  });

  it('of a rejected request is not stored', async () => {
    const before = await countOf(bed, 'select count(*) from request_nonces');
    await times(20, () => get(signBy({ signing_secret: 'x' })));
    expect(await countOf(bed, 'select count(*) from request_nonces')).toBe(before);
  });
});

describe('every 401', () => {
  const shown = ({ status, rawHeaders, text }: Reply) => {
    const pairs = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : [],
    );
    return [status, text, ...pairs.filter((pair) => !/^(date|x-request-id):/i.test(pair))];
  };

  it('has the same body and headers for every cause', async () => {
    const replies = [];
    for (const [, , headers] of REJECTED) replies.push(await get(headers()));
    const headers = signGet();
    await get(headers);
    replies.push(await get(headers), await get({ Authorization: 'Bearer a.b.c' }));
    expect(new Set(replies.map((reply) => JSON.stringify(shown(reply)))).size).toBe(1);
    expect(replies[0]?.text).toBe(
      '{"error":"authentication_failed","message":"Authentication failed."}',
    );
  });
});
