// Create (protocol 5.2; decisions 1, 3, 14, 21 and 24). contract-requests.test.ts tests the bounds
// of each member, bodies.test.ts tests malformed bodies.
import { byCorridor } from '../../../src/corridors/names';
import { parseIntentId } from '../../../src/domain/ids';
import { withApi } from '../../support/brackets';
import { countOf, findExisting, move, TTL_SECONDS, INSTALLATION } from '../../support/builders';
import { GOOD_CREATE as GOOD, startApp, type Outgoing, type Reply } from '../../support/app';
import { NOON, secondsAfter } from '../../support/clock';

const PATH = '/v1/payment_intents';

const { bed, app, partner } = withApi({ poolSize: 16 });

const create = (body?: unknown, headers?: Outgoing['headers']) =>
  app.create(partner, body, headers);
const withKey = (key: string | readonly string[], body: unknown = GOOD) =>
  create(body, { 'Idempotency-Key': key });
const intentsIn = () => countOf(bed, 'select count(*) from payment_intents');
const idOf = (reply: Reply) => {
  const id = parseIntentId((JSON.parse(reply.text) as { readonly intent_id: string }).intent_id);
  if (id === undefined) throw new Error(`no intent id in ${reply.text}`);
  return id;
};

function expectInvalid(reply: Reply, message?: string): void {
  expect(reply).toMatchObject({ status: 400 });
  const body = JSON.parse(reply.text) as { readonly message: string };
  expect(body).toEqual({ error: 'validation_failed', message: message ?? body.message });
}

describe('creating an intent', () => {
  it('answers 201 with exactly the documented members, in order', async () => {
    const reply = await create();
    expect([reply.status, reply.headers['content-type']]).toEqual([
      201,
      'application/json; charset=utf-8',
    ]);
    expect(reply.text).toBe(
      `{"intent_id":"${idOf(reply)}","status":"created","amount_usd_cents":1250,"corridor":"th_qrpay","created_at":"2026-03-02T12:00:00.000Z"}`,
    );
    expect(reply.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('starts the workflow with the data of the intent, once Postgres has committed', async () => {
    const intentId = idOf(await create({ ...GOOD, corridor: 'vn_qrpay' }));
    expect(app.begun.at(-1)).toEqual({
      intentId,
      partnerId: partner.partnerId,
      amountUsdCents: 1_250,
      corridor: 'vn_qrpay',
      status: 'created',
      createdAtMs: NOON.getTime(),
      expiresAtMs: secondsAfter(NOON, TTL_SECONDS).getTime(),
      installationId: INSTALLATION.id,
    });
    await expect(findExisting(bed, intentId)).resolves.toMatchObject({ status: 'created' });
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json;',
    'application/json; charset=UTF-8;',
    'application/json; version=1',
    'application/json\t;\t; ;charset="utf-8" ; x="a;charset=latin1;\\"b"; y=z',
  ])('accepts the media type %s', async (type) => {
    expect(await create(GOOD, { 'Content-Type': type })).toMatchObject({ status: 201 });
  });
});

describe('a member of the body', () => {
  it('may be any text', async () => {
    const text = 'ünï\u0001 "quoted" \\ text';
    expect(await create({ ...GOOD, partner_user_id: text })).toMatchObject({ status: 201 });
  });

  it.each<[string, readonly unknown[]]>([
    ['amount_usd_cents', [0, 100_000_001, 1.5, 1e21, '1', null]],
    ['partner_user_id', ['', 'x'.repeat(257), 'a\0b', 'a\ud800', '\udc00', 1, undefined]],
    ['corridor', ['', 'TH_QRPAY', 'sg_qrpay', 0, ['th_qrpay'], undefined]],
  ])('that is invalid is named: %s', async (name, values) => {
    const before = await intentsIn();
    for (const value of values) {
      const reply = await create({ ...GOOD, [name]: value });
      expectInvalid(reply);
      expect(reply.text).toContain(name);
    }
    expect(await intentsIn()).toBe(before);
  });

  it.each(['metadata', '__proto__', 'constructor', 'intent_id'])(
    'that is not defined, such as %s, is rejected',
    async (name) => {
      const body = JSON.stringify(GOOD).replace('{', `{"${name}":{},`);
      expectInvalid(await create(body), `The body has the member ${name}, which is not defined.`);
    },
  );
});

describe('a body', () => {
  it('that is not UTF-8 is 400', async () => {
    const latin1 = Buffer.from(JSON.stringify({ ...GOOD, partner_user_id: 'é' }), 'latin1');
    expectInvalid(await create(latin1), 'The body is not JSON in UTF-8.');
  });

  const TYPE = 'Content-Type must be application/json.';
  const CHARSET = 'The charset in Content-Type must be UTF-8.';
  const PARAMETER = 'Content-Type has a malformed parameter. Expected name=value.';

  it.each([
    ...['text/plain', 'application/jsonp', 'text/json', '', ';'].map((type) => [type, TYPE]),
    ['application/json, text/html', TYPE],
    ['application/json; charset=iso-8859-1', CHARSET],
    ['application/json; version=1; Charset="latin1"', CHARSET],
    ['application/json; charset=utf-8; charset=utf-16', CHARSET],
    ...['utf-8', 'charset', 'charset=', 'a=b c', 'a="b', 'a = b', 'a=b, text/html'].map((text) => {
      return [`application/json; ${text}`, PARAMETER];
    }),
  ])('of the media type "%s" is 400: %s', async (type, detail) => {
    expectInvalid(await create(GOOD, { 'Content-Type': type }), detail);
  });

  it.each(['gzip', 'br', 'identity, gzip'])('with Content-Encoding %s is 400', async (encoding) => {
    const reply = await create(GOOD, { 'Content-Encoding': encoding });
    expectInvalid(reply, 'Content-Encoding is not supported: send the body as it is.');
  });

  it.each(['identity', 'Identity', ''])('with Content-Encoding "%s" is read', async (encoding) => {
    const reply = await create(GOOD, { 'Content-Encoding': encoding });
    expect(reply).toMatchObject({ status: 201 });
  });

  it('of 64 kB is read, and one byte more is 400 unread, signed or not', async () => {
    const padded = (bytes: number) => JSON.stringify(GOOD).padEnd(bytes, ' ');
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const unsigned = { method: 'POST', path: PATH, body: padded(200_000) };
    for (const headers of [{}, chunked]) {
      expect(await create(padded(65_536), headers)).toMatchObject({ status: 201 });
      expectInvalid(await create(padded(65_537), headers), 'The body is larger than 65536 bytes.');
    }
    expectInvalid(await app.send(unsigned), 'The body is larger than 65536 bytes.');
  });

  it('is parsed only after the signature: unsigned nonsense is 401', async () => {
    const reply = await app.send({ method: 'POST', path: PATH, body: 'nonsense' });
    expect(reply.status).toBe(401);
  });
});

describe('Idempotency-Key', () => {
  it('that is empty is 400, and the message says so', async () => {
    expectInvalid(
      await withKey(''),
      'Idempotency-Key is empty. Send 1 to 256 characters, or leave the header out.',
    );
  });

  it('replays the original response byte for byte, with Idempotent-Replayed', async () => {
    const first = await withKey('order-1');
    await move(bed, idOf(first), 'cancel');
    const again = await withKey('order-1');
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(app.begun.filter(({ intentId }) => intentId === idOf(first))).toHaveLength(1);
  });

  it('with other body bytes is 400, even if the JSON is equivalent', async () => {
    await withKey('order-3');
    const spaced = await withKey('order-3', JSON.stringify(GOOD, null, 1));
    expectInvalid(spaced, 'Idempotency-Key was used with another body.');
  });

  it('of a rejected request is not stored', async () => {
    expectInvalid(await withKey('order-4', 'nonsense'));
    expect(await withKey('order-4')).toMatchObject({ status: 201 });
  });

  it.each(['k', 'k'.repeat(256), 'a key with blanks ~!'])('may be "%s"', async (key) => {
    expect(await withKey(key)).toMatchObject({ status: 201 });
  });

  it.each(['', 'k'.repeat(257), 'clé', 'a\tb', ['one', 'two']])('may not be %j', async (key) => {
    expectInvalid(await withKey(key));
  });
});

describe('the minimum of a corridor', () => {
  it('is 422 amount_below_minimum where one is configured, and only there', async () => {
    const minimumUsdCents = byCorridor((corridor) => (corridor === 'th_qrpay' ? 100 : 1));
    const strict = await startApp(bed, { settings: { minimumUsdCents } });
    const createWith = (amount: number, corridor: string) =>
      strict.create(partner, { ...GOOD, amount_usd_cents: amount, corridor });
    expect(await createWith(99, 'th_qrpay')).toMatchObject({
      status: 422,
      text: '{"error":"amount_below_minimum","message":"The amount is below the minimum of the corridor."}',
    });
    expect(await createWith(100, 'th_qrpay')).toMatchObject({ status: 201 });
    expect(await createWith(1, 'vn_qrpay')).toMatchObject({ status: 201 });
    await strict.close();
  });

  it('changes no replay when it is raised', async () => {
    const key = { 'Idempotency-Key': 'before-the-rise' };
    const first = await create(GOOD, key);
    const minimumUsdCents = byCorridor(() => 100_000);
    const strict = await startApp(bed, { settings: { minimumUsdCents } });
    const again = await strict.create(partner, GOOD, key);
    const other = await strict.create(partner, ` ${JSON.stringify(GOOD)}`, key);
    const fresh = await strict.create(partner);
    await strict.close();
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect([other.status, fresh.status]).toEqual([400, 422]);
  });
});

describe('the log', () => {
  it('contains no secret, signature, nonce or partner user id', async () => {
    await create({ ...GOOD, partner_user_id: 'user-nobody-may-log' });
    const log = app.lines.join('\n');
    expect(log).toContain('"route":"/v1/payment_intents"');
    for (const secret of [partner.signing_secret, 'user-nobody-may-log', 'X-Service']) {
      expect(log).not.toContain(secret);
    }
  });
});
