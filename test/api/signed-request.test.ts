// Spec, "Request signing", "Verification order"; decisions 12, 22, 24 and 26. Each step fails alone, and all look alike.
import { withApi } from '../support/brackets';
import { anIntent, aNonce, countOf, times } from '../support/builders';
import type { Outgoing, Reply } from '../support/app';
import { NOON, secondsAfter } from '../support/clock';
import { sign } from '../support/partner';

const { bed, app, partner } = withApi({ poolSize: 16 });
let path: string;
beforeAll(async () => {
  path = `/v1/payment_intents/${(await anIntent(bed, partner)).intentId}`;
});
beforeEach(() => {
  app.refusals.length = 0;
});

type Headers = NonNullable<Outgoing['headers']>;
const get = (headers: Headers) => app.send({ path, headers });
const signGet = (parts: Partial<Parameters<typeof sign>[1]> = {}) =>
  sign(partner, { method: 'GET', path, ...parts });
const without = (name: string) =>
  Object.fromEntries(Object.entries(signGet()).filter(([key]) => key !== name));

describe('a signed request', () => {
  it('passes when all five steps hold', async () => {
    expect(await get(signGet())).toMatchObject({ status: 200 });
    expect(app.refusals).toEqual([]);
  });

  it('takes its header names in any case', async () => {
    const shouted = Object.entries(signGet()).map(([name, value]) => [name.toUpperCase(), value]);
    expect(await get(Object.fromEntries(shouted) as Headers)).toMatchObject({ status: 200 });
  });

  it('is signed without its query string, which is never read', async () => {
    const reply = await app.sendSigned(partner, { path: `${path}?status=captured` });
    expect(reply.status).toBe(200);
  });

  it('with a body on GET is signed with the digest of that body, and the body is ignored', async () => {
    const body = 'not json';
    const headers = signGet({ body });
    expect(await app.send({ path, headers, body })).toMatchObject({ status: 200 });
    const other = await app.send({ path, headers: signGet(), body });
    expect(other.status).toBe(401);
  });
});

/** What is wrong with the request, and the reason that the log tells and the caller does not. */
const REFUSED: readonly (readonly [string, string, () => Headers])[] = [
  ['no credentials at all', 'header_missing_or_repeated', () => ({})],
  ...['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map(
    (name) =>
      [
        `no X-Service-${name}`,
        'header_missing_or_repeated',
        () => without(`X-Service-${name}`),
      ] as const,
  ),
  ...['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map(
    (name) =>
      [
        `a repeated X-Service-${name}`,
        'header_missing_or_repeated',
        () => {
          const headers = signGet();
          const value = headers[`X-Service-${name}`] ?? '';
          return { ...headers, [`X-Service-${name}`]: [value, value] };
        },
      ] as const,
  ),
  [
    'an unknown key',
    'key_unknown',
    () => sign({ ...partner, key_id: 'nobody' }, { method: 'GET', path }),
  ],
  [
    'a signature of another secret',
    'signature_wrong',
    () => sign({ ...partner, signing_secret: 'x' }, { method: 'GET', path }),
  ],
  ['a signature of another method', 'signature_wrong', () => signGet({ method: 'POST' })],
  ['a signature of another path', 'signature_wrong', () => signGet({ path: `${path}x` })],
  ['a signature with a query string in it', 'signature_wrong', () => signGet({ path: `${path}?` })],
  ['a signature of a body that was not sent', 'signature_wrong', () => signGet({ body: '{}' })],
  [
    'a signature in another spelling',
    'signature_wrong',
    () => spellSignature((text) => text.replace(/=$/, '')),
  ],
  [
    'a signature in base64url',
    'signature_wrong',
    () => ({ ...signGet(), 'X-Service-Signature': '-'.repeat(43) }),
  ],
  ['an empty signature', 'signature_wrong', () => spellSignature(() => '')],
  ...[
    ['too short', 'ab'.repeat(16)],
    ['of 63 characters', 'a'.repeat(63)],
    ['of 65 characters', 'a'.repeat(65)],
    ['in capitals', 'AB'.repeat(32)],
    ['that is not hex', 'g'.repeat(64)],
    ['that is empty', ''],
  ].map(
    ([name = '', nonce = '']) =>
      [`a nonce ${name}`, 'nonce_malformed', () => signGet({ nonce })] as const,
  ),
  ...[
    ['301 s old', secondsAfter(NOON, -301).toISOString()],
    ['301 s ahead', secondsAfter(NOON, 301).toISOString()],
    ['in another zone', '2026-03-02T19:00:00+07:00'],
    ['with an unknown offset', '2026-03-02T12:00:00-00:00'],
    ['without a zone', '2026-03-02T12:00:00'],
    ['without seconds', '2026-03-02T12:00Z'],
    ['in epoch seconds', '1772452800'],
    ['on a day that is not', '2026-02-30T12:00:00Z'],
    ['as HTTP writes it', 'Mon, 02 Mar 2026 12:00:00 GMT'],
    ['that is empty', ''],
  ].map(
    ([name = '', timestamp = '']) =>
      [
        `a timestamp ${name}`,
        'timestamp_not_within_5_minutes',
        () => signGet({ timestamp }),
      ] as const,
  ),
];

function spellSignature(spell: (text: string) => string): Headers {
  const headers = signGet();
  return { ...headers, 'X-Service-Signature': spell(headers['X-Service-Signature'] ?? '') };
}

describe('a signed request is refused with 401 for', () => {
  it.each(REFUSED)('%s', async (_name, reason, headers) => {
    expect(await get(headers())).toMatchObject({ status: 401 });
    expect(app.refusals).toEqual([reason]);
  });
});

describe('the timestamp is within five minutes', () => {
  it.each([
    [-300, 200],
    [-299, 200],
    [299, 200],
    [300, 200],
    [-300.001, 401],
    [300.001, 401],
  ])('%d s off answers %d', async (seconds, status) => {
    const timestamp = secondsAfter(NOON, seconds).toISOString();
    expect(await get(signGet({ timestamp }))).toMatchObject({ status });
  });

  it.each(['2026-03-02T12:00:00Z', '2026-03-02T12:00:00+00:00', '2026-03-02T12:00:00.123456789Z'])(
    'and may be written %s',
    async (timestamp) => {
      expect(await get(signGet({ timestamp }))).toMatchObject({ status: 200 });
    },
  );
});

describe('a nonce', () => {
  it('that was seen is refused, also on another endpoint', async () => {
    const nonce = aNonce();
    expect(await get(signGet({ nonce }))).toMatchObject({ status: 200 });
    expect(await get(signGet({ nonce }))).toMatchObject({ status: 401 });
    const cancel = { method: 'POST', path: `${path}/cancel` };
    const again = await app.send({ ...cancel, headers: sign(partner, { ...cancel, nonce }) });
    expect(again.status).toBe(401);
    expect(app.refusals).toEqual(['nonce_seen', 'nonce_seen']);
  });

  it('of fifty simultaneous equal requests lets exactly one pass', async () => {
    const headers = signGet();
    const replies = await times(50, () => get(headers));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  it('of a request with a wrong signature is not spent', async () => {
    const nonce = aNonce();
    const wrong = sign({ ...partner, signing_secret: 'x' }, { method: 'GET', path, nonce });
    expect(await get(wrong)).toMatchObject({ status: 401 });
    expect(await get(signGet({ nonce }))).toMatchObject({ status: 200 });
  });

  it('of a refused request is written nowhere, however many come', async () => {
    const before = await countOf(bed, 'select count(*) from request_nonces');
    await times(20, () => get(sign({ ...partner, signing_secret: 'x' }, { method: 'GET', path })));
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

  it('has the same bytes and headers whatever its cause', async () => {
    const replies = [];
    for (const [, , headers] of REFUSED) replies.push(await get(headers()));
    const headers = signGet();
    await get(headers);
    replies.push(await get(headers), await get({ Authorization: 'Bearer a.b.c' }));
    expect(new Set(replies.map((reply) => JSON.stringify(shown(reply)))).size).toBe(1);
  });

  it('says nothing of its cause', async () => {
    const reply = await get(without('X-Service-Nonce'));
    expect(reply.text).toBe('{"error":"authentication_failed","message":"Authentication failed."}');
  });
});
