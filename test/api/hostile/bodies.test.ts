// Decision 24: hostile bodies with valid credentials. Each is 400 in the envelope, and writes no
// row except the nonce that it has used up.
import { GOOD_CREATE, scanned, type Outgoing } from '../../support/app';
import { withApi } from '../../support/brackets';
import { mintToken } from '../../support/payments/partner';
import { aThaiCode } from '../../support/payments/qr-codes';
import { countRows, expectRejection } from './world';

const GOOD_TEXT = JSON.stringify(GOOD_CREATE);

const { bed, app, partner, intent } = withApi();

const create = (body: string | Buffer, headers: Outgoing['headers'] = {}) =>
  app.create(partner, body, headers);
const confirm = (more: Partial<Outgoing>) => app.confirm(intent, mintToken(partner, intent), more);
const messageOf = (text: string) => (JSON.parse(text) as { readonly message: string }).message;

/** The valid body with additional members before its own. */
const withMembers = (members: string) => GOOD_TEXT.replace('{', `{${members},`);
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const userIs = (text: string) =>
  `{"partner_user_id":${text},"amount_usd_cents":1,"corridor":"th_qrpay"}`;

const BODIES: readonly (readonly [string, string | Buffer])[] = [
  ['text that is not JSON', 'amount=1'],
  ['JSON that is cut short', '{"amount_usd_cents":1'],
  ['an empty array', '[]'],
  ['the object in an array', `[${GOOD_TEXT}]`],
  ['null', 'null'],
  ['a string', '"x"'],
  ['a number', '1'],
  ['an empty object', '{}'],
  ['64 kB of [', '['.repeat(65_536)],
  ['64 kB of {"a":', '{"a":'.repeat(13_107)],
  ['32 768 arrays, closed', '['.repeat(32_768) + ']'.repeat(32_768)],
  ['objects ten thousand deep, closed', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  [
    'a member of ten thousand levels',
    withMembers(`"x":${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  ],
  ['an amount twice', withMembers('"amount_usd_cents":1')],
  ['an amount twice, once in escapes', withMembers('"amount_usd_\\u0063ents":1')],
  ['a member twice within a member', withMembers('"x":{"y":1,"y":1}')],
  ['a __proto__', withMembers('"__proto__":{"amount_usd_cents":1}')],
  ['a __proto__ in escapes', withMembers('"__pr\\u006fto__":{}')],
  ['a __proto__ instead of members', `{"__proto__":${GOOD_TEXT}}`],
  ['a constructor', withMembers('"constructor":{"prototype":{}}')],
  ['a toString', withMembers('"toString":"x"')],
  ['a member without a name', withMembers('"":1')],
  [
    'five thousand members',
    withMembers(Array.from({ length: 5_000 }, (_, n) => `"${n}":0`).join()),
  ],
  ['65 537 bytes', GOOD_TEXT.padEnd(65_537)],
  ['a byte order mark', `\ufeff${GOOD_TEXT}`],
  ['a byte order mark twice', `\ufeff\ufeff${GOOD_TEXT}`],
  ['UTF-16', Buffer.from(GOOD_TEXT, 'utf16le')],
  ['bytes that are not UTF-8', latin1(userIs('"\xff\xfe"'))],
  ['an overlong slash', latin1(userIs('"\xc0\xaf"'))],
  ['a surrogate in UTF-8', latin1(userIs('"\xed\xa0\x80"'))],
  ['a lone surrogate', userIs('"\\ud800"')],
  ['surrogates in the wrong order', userIs('"\\udc00\\ud800"')],
  ['a lone surrogate as a name', withMembers('"\\ud800":1')],
  ['an escaped NUL', userIs('"a\\u0000b"')],
  ['a NUL', userIs('"a\0b"')],
  ['a NUL behind it', `${GOOD_TEXT}\0`],
  ['an array as a text', userIs('["user-4711"]')],
  ['an object as a text', userIs('{"toString":"x"}')],
  ['a user of 60 000 characters', userIs(`"${'u'.repeat(60_000)}"`)],
  ['a comment', `/* x */${GOOD_TEXT}`],
  ['two objects', GOOD_TEXT + GOOD_TEXT],
];

describe('a create with the body of', () => {
  it.each(BODIES)('%s is 400 and creates nothing', async (_name, body) => {
    const before = await countRows(bed);
    const reply = await create(body);
    expectRejection(reply, 400);
    // A body that is too large is rejected before the credentials are read, so it uses up no nonce.
    expect((await countRows(bed)) - before).toBe(body.length > 65_536 ? 0 : 1);
  });

  it.each([
    ['65 537 bytes', Buffer.alloc(65_537, ' ')],
    ['three million bytes', Buffer.alloc(3_000_000, '[')],
  ])('%s in chunks is 400, and the connection serves the next request', async (_name, body) => {
    const reply = await create(body, { 'Transfer-Encoding': 'chunked' });
    expectRejection(reply, 400);
    expect(await create(GOOD_TEXT)).toMatchObject({ status: 201 });
  });
});

describe('the message about a body', () => {
  it.each([
    [withMembers('"amount_usd_cents":1'), 'The body has the member amount_usd_cents twice.'],
    [withMembers('"\\u202e":1,"\\u202e":1'), 'The body has a member twice.'],
    [
      withMembers(`"${'k'.repeat(30_000)}":1,"${'k'.repeat(30_000)}":1`),
      'The body has a member twice.',
    ],
    ['['.repeat(33) + ']'.repeat(33), 'The body has more than 32 levels.'],
    [withMembers('"\\u001b[31m":1'), 'The body has a member that is not defined.'],
    ['{"partner_user_id":"user-4711"', 'The body is not JSON in UTF-8.'],
  ])('names a member only if its name is short and printable', async (body, message) => {
    expect(messageOf((await create(body)).text)).toBe(message);
  });
});

describe('an amount', () => {
  // JSON has one number type. A number is an integer by its value: 1e2 is 100, as in JSON Schema.
  it.each([
    ['100', 100],
    ['1e2', 100],
    ['1.25E+3', 1_250],
    ['100.0', 100],
    ['1000e-1', 100],
    ['1250.00000000000000000', 1_250],
  ])('written %s is %d cents', async (written, cents) => {
    const reply = await create(GOOD_TEXT.replace('1250', written));
    expect(reply.status).toBe(201);
    expect(JSON.parse(reply.text)).toMatchObject({ amount_usd_cents: cents });
  });

  it.each([
    ...['-0', '0', '0.0', '-1', '1250.5', '1e-1', '1e9', '1e400', '-1e400', '100000001'],
    ...['12345678901234567890', '9007199254740993', '"1250"', '"1e2"', 'true', 'null', '[1250]'],
    // Protocol 5.2 requires integers. A double rounds these to one, but a reader with more digits
    // does not.
    ...[
      '0.99999999999999999',
      '1250.0000000000000001',
      '100000000.000000001',
      '1250.00000000000000001',
    ],
    ...['01250', '+1250', '1_250', '0x4e2', '1250n', 'NaN', 'Infinity', '1,250', '١٢٥٠'],
  ])('written %s is 400', async (written) => {
    expectRejection(await create(GOOD_TEXT.replace('1250', written)), 400);
  });
});

describe('a media type or encoding', () => {
  it.each([
    ...['', 'application/json; charset=utf-16', 'application/json; charset=utf-8; x', 'json'],
    ...['application/json, application/json', 'application/vnd.api+json', 'multipart/form-data'],
    ...['application/x-www-form-urlencoded', 'application/json/x', '*/*'],
  ])('of the type "%s" is 400', async (type) => {
    expectRejection(await create(GOOD_TEXT, { 'Content-Type': type }), 400);
  });

  // Node keeps the first of them, and a proxy in front may have checked the last.
  it.each([
    [['application/json', 'application/json']],
    [['application/json', 'text/plain']],
    [['text/plain', 'application/json']],
    [['application/json', '']],
    [['', 'application/json']],
  ])('in several headers %j is 400 for a create and for a confirm', async (types) => {
    expectRejection(await create(GOOD_TEXT, { 'Content-Type': types }), 400);
    const headers = { 'Content-Type': types };
    expectRejection(await confirm({ ...scanned(aThaiCode()), headers }), 400);
  });

  it.each([' ', '; ', ';', ';a="', '; a=', '\t;\t'])(
    'of 20 kB of "%s" is 400 at once',
    async (piece) => {
      const type = `application/json${piece.repeat(20_000 / piece.length)}x/`;
      expectRejection(await create(GOOD_TEXT, { 'Content-Type': type }), 400);
    },
  );

  it.each(['gzip', 'gzip, gzip', ['', 'gzip'], 'deflate', 'identity, x', 'utf-8', 'x'])(
    'of the encoding %j is 400',
    async (encoding) => {
      expectRejection(await create(GOOD_TEXT, { 'Content-Encoding': encoding }), 400);
    },
  );
});

describe('a confirm with the body of', () => {
  const INVALID_BODIES = BODIES.filter(([, body]) => body !== '{}');

  it.each(INVALID_BODIES)('%s is 400, and its token stays unused', async (_name, body) => {
    const before = await countRows(bed);
    expectRejection(await confirm({ headers: { 'Content-Type': 'application/json' }, body }), 400);
    expect(await countRows(bed)).toBe(before);
  });
});
