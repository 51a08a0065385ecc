// Spec, "POST /v1/payment_intents" and "CreateIntentRequest"; decisions 1, 3, 14, 21 and 24.
import { parseIntentId } from '../../src/domain/ids';
import { withApi } from '../support/brackets';
import { countOf, findExisting, TTL_SECONDS, INSTALLATION } from '../support/builders';
import { startApp, type Outgoing, type Reply } from '../support/app';
import { NOON, secondsAfter } from '../support/clock';

const PATH = '/v1/payment_intents';
const GOOD = { partner_user_id: 'user-4711', amount_usd_cents: 1_250, corridor: 'th_qrpay' };
const JSON_HEADER = { 'Content-Type': 'application/json' };

const { bed, app, partner } = withApi({ poolSize: 16 });

const post = (body: string | Buffer, headers: Outgoing['headers'] = {}, who = partner) =>
  app.sendSigned(who, {
    method: 'POST',
    path: PATH,
    body,
    headers: { ...JSON_HEADER, ...headers },
  });
const postJson = (body: unknown, headers: Outgoing['headers'] = {}) =>
  post(JSON.stringify(body), headers);
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
  it('answers 201 with exactly the documented members, in their order', async () => {
    const reply = await postJson(GOOD);
    expect([reply.status, reply.headers['content-type']]).toEqual([
      201,
      'application/json; charset=utf-8',
    ]);
    expect(reply.text).toBe(
      `{"intent_id":"${idOf(reply)}","status":"created","amount_usd_cents":1250,"corridor":"th_qrpay","created_at":"2026-03-02T12:00:00.000Z"}`,
    );
    expect(reply.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('begins the run with what it needs, once Postgres has committed', async () => {
    const intentId = idOf(await postJson({ ...GOOD, corridor: 'vn_qrpay' }));
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
  ])('takes the media type %s', async (type) => {
    expect(await postJson(GOOD, { 'Content-Type': type })).toMatchObject({ status: 201 });
  });
});

describe('a member of the body', () => {
  it.each([
    ['amount_usd_cents', 1],
    ['amount_usd_cents', 100_000_000],
    ['partner_user_id', 'x'],
    ['partner_user_id', 'x'.repeat(256)],
    ['partner_user_id', '💡'.repeat(256)],
    ['partner_user_id', 'ünï\u0001 "quoted" \\ text'],
    ['corridor', 'vn_qrpay'],
  ])('%s may be %p', async (name, value) => {
    expect(await postJson({ ...GOOD, [name]: value })).toMatchObject({ status: 201 });
  });

  it.each([
    ...[0, -1, 100_000_001, 1.5, 1e21, '1', '', null, true, [1], {}].map(
      (value) => ['amount_usd_cents', value] as const,
    ),
    ...['', 'x'.repeat(257), '💡'.repeat(257), 'a\0b', 'a\ud800', '\udc00', 1, null].map(
      (value) => ['partner_user_id', value] as const,
    ),
    ...['', 'TH_QRPAY', 'th_qrpay ', 'sg_qrpay', 0, null, ['th_qrpay']].map(
      (value) => ['corridor', value] as const,
    ),
  ])('%s may not be %p', async (name, value) => {
    const before = await intentsIn();
    const reply = await postJson({ ...GOOD, [name]: value });
    expectInvalid(reply);
    expect(reply.text).toContain(name);
    expect(await intentsIn()).toBe(before);
  });

  it.each(['partner_user_id', 'amount_usd_cents', 'corridor'])('%s is required', async (name) => {
    const rest = Object.entries(GOOD).filter(([key]) => key !== name);
    expectInvalid(await postJson(Object.fromEntries(rest)));
  });

  it.each(['metadata', '__proto__', 'constructor', 'intent_id'])(
    'that is not defined, such as %s, is refused',
    async (name) => {
      const body = JSON.stringify(GOOD).replace('{', `{"${name}":{},`);
      expectInvalid(await post(body), 'The body has a member that is not defined.');
    },
  );
});

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'amount=1'],
    ['JSON that is cut short', '{"amount_usd_cents":1'],
    ['an array', JSON.stringify([GOOD])],
    ['a string', '"text"'],
    ['null', 'null'],
    ['a byte order mark twice', `\ufeff\ufeff${JSON.stringify(GOOD)}`],
    ['an unescaped NUL', '{"partner_user_id":"a\0b"}'],
    ['two objects', `${JSON.stringify(GOOD)}${JSON.stringify(GOOD)}`],
  ])('of %s is 400', async (_name, body) => {
    expectInvalid(await post(body));
  });

  it('that is not UTF-8 is 400', async () => {
    const latin1 = Buffer.from(JSON.stringify({ ...GOOD, partner_user_id: 'é' }), 'latin1');
    expectInvalid(await post(latin1), 'The body is not JSON in UTF-8.');
  });

  it.each(['text/plain', 'application/json; charset=latin1', 'application/jsonp', 'text/json', ''])(
    'of the media type "%s" is 400',
    async (type) => {
      const reply = await postJson(GOOD, { 'Content-Type': type });
      expectInvalid(reply, 'Content-Type must be application/json.');
    },
  );

  it.each(['gzip', 'identity', 'br'])('with Content-Encoding %s is 400', async (encoding) => {
    const reply = await postJson(GOOD, { 'Content-Encoding': encoding });
    expectInvalid(reply, 'Content-Encoding is not supported.');
  });

  it('of 64 kB is read, and one byte more is 400 unread, signed or not', async () => {
    const padded = (bytes: number) => JSON.stringify(GOOD).padEnd(bytes, ' ');
    expect(await post(padded(65_536))).toMatchObject({ status: 201 });
    expectInvalid(await post(padded(65_537)), 'The body is larger than 65536 bytes.');
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const unsigned = { method: 'POST', path: PATH, body: padded(200_000) };
    expectInvalid(await app.send(unsigned), 'The body is larger than 65536 bytes.');
    expectInvalid(await post(padded(65_537), chunked), 'The body is larger than 65536 bytes.');
    expect(await post(padded(65_536), chunked)).toMatchObject({ status: 201 });
  });

  it('is looked at only after the signature: unsigned nonsense is 401', async () => {
    const reply = await app.send({ method: 'POST', path: PATH, body: 'nonsense' });
    expect(reply.status).toBe(401);
  });

  it('that is refused has spent its nonce all the same', async () => {
    const nonces = () => countOf(bed, 'select count(*) from request_nonces');
    const before = await nonces();
    await post('nonsense');
    expect(await nonces()).toBe(before + 1);
  });
});

describe('the minimum of a corridor', () => {
  it('is 422 amount_below_minimum where one is configured, and only there', async () => {
    const strict = await startApp(bed, {
      settings: { minimumUsdCents: { th_qrpay: 100, vn_qrpay: 1 } },
    });
    const create = (amount: number, corridor: string) =>
      strict.sendSigned(partner, {
        method: 'POST',
        path: PATH,
        headers: JSON_HEADER,
        body: JSON.stringify({ ...GOOD, amount_usd_cents: amount, corridor }),
      });
    const below = await create(99, 'th_qrpay');
    expect([below.status, below.text]).toEqual([
      422,
      '{"error":"amount_below_minimum","message":"The amount is below the minimum of the corridor."}',
    ]);
    const enough = [await create(100, 'th_qrpay'), await create(1, 'vn_qrpay')];
    expect(enough.map(({ status }) => status)).toEqual([201, 201]);
    await strict.close();
  });

  it('that was raised changes no replay: the original response, and a refusal for another body', async () => {
    const body = JSON.stringify(GOOD);
    const outgoing = { method: 'POST', path: PATH };
    const headers = { ...JSON_HEADER, 'Idempotency-Key': 'before-the-rise' };
    const first = await app.sendSigned(partner, { ...outgoing, headers, body });
    const strict = await startApp(bed, {
      settings: { minimumUsdCents: { th_qrpay: 100_000, vn_qrpay: 100_000 } },
    });
    const again = await strict.sendSigned(partner, { ...outgoing, headers, body });
    const other = await strict.sendSigned(partner, { ...outgoing, headers, body: ` ${body}` });
    const fresh = await strict.sendSigned(partner, { ...outgoing, headers: JSON_HEADER, body });
    await strict.close();
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect([other.status, fresh.status]).toEqual([400, 422]);
  });
});

describe('what is logged', () => {
  it('holds neither secret, signature, nonce nor the partner’s user', async () => {
    await postJson({ ...GOOD, partner_user_id: 'user-nobody-may-log' });
    const log = app.lines.join('\n');
    expect(log).toContain('"route":"/v1/payment_intents"');
    for (const secret of [partner.signing_secret, 'user-nobody-may-log', 'X-Service']) {
      expect(log).not.toContain(secret);
    }
  });
});
