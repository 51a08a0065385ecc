// `payctl requests why`: the cause of a rejection by its request id. It is only in the log of the
// API, because a rejection is stored nowhere else (decision 12).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SignatureRejection, TokenRejection } from '../../../api/auth/rejections';
import type { RouteRejection } from '../../../api/middleware/no-route';
import {
  ROUTE_REJECTIONS,
  SIGNATURE_REJECTIONS,
  TOKEN_REJECTIONS,
  type Explanation,
} from '../../../src/ops/requests/rejection-reasons';
import type { RequestStory } from '../../../src/ops/requests/request-story';
import { findRequestStory } from '../../../src/ops/requests/why';
import { bearer, createMemoryKeySets, type Reply } from '../../support/app';
import { anIntent } from '../../support/builders';
import { aPartner, mintToken, sign, type TestPartner } from '../../support/payments/partner';
import { expectRejected, jsonOf, runPayctl, textOf } from '../../support/programs/payctl';
import { withDatabase, withPartner, withApp, withFolder } from '../../support/brackets';

/** The compiler checks that the lists have all causes of the API. */
const EXPLAINED: readonly Readonly<Record<string, Explanation>>[] = [
  SIGNATURE_REJECTIONS satisfies Readonly<Record<SignatureRejection, Explanation>>,
  TOKEN_REJECTIONS satisfies Readonly<Record<TokenRejection, Explanation>>,
  ROUTE_REJECTIONS satisfies Readonly<Record<RouteRejection, Explanation>>,
];

const bed = withDatabase();
const partner = withPartner(bed, { name: 'acme' });
let keySets: ReturnType<typeof createMemoryKeySets>;
const app = withApp(bed, () => ({ keySets: (keySets = createMemoryKeySets([partner])) }));
const folder = withFolder();
let log: string;
let path: string;
let replies: Readonly<Record<'signature' | 'token' | 'none' | 'missing', Reply>>;

beforeAll(async () => {
  const intent = await anIntent(bed, partner);
  path = `/v1/payment_intents/${intent.intentId}`;
  const signed = (who: Pick<TestPartner, 'key_id' | 'signing_secret'>, at = path) =>
    app.send({ path: at, headers: sign(who, { method: 'GET', path: at }) });
  const token = mintToken(partner, intent, { aud: 'elsewhere' });
  replies = {
    signature: await signed({ ...partner, signing_secret: 'wrong' }),
    token: await app.send({ path, headers: { Authorization: `Bearer ${token}` } }),
    none: await signed(partner),
    missing: await signed(partner, '/v1/payment_intents/pi_00000000000000000000000000'),
  };
  log = join(folder, 'api.log');
  writeFileSync(log, ['started', ...app.lines.map(timed), 'no time', ''].join('\n'));
});

const TIME = '2026-03-02T12:00:00.000Z';
/** Adds a time, because the API of a test logs none. */
const timed = (line: string, index: number) =>
  line.replace('{', `{"time":"2026-03-02T12:00:0${String(index)}.000Z",`);

const idOf = (reply: Reply) => String(reply.headers['x-request-id']);
const why = (requestId: string, ...args: readonly string[]) =>
  runPayctl(bed, ['requests', 'why', requestId, ...args]);
const story = (requestId: string, text: string): Promise<RequestStory> => {
  const file = join(folder, 'of-its-own.log');
  writeFileSync(file, text);
  return findRequestStory([file], requestId);
};

it('prints to programs the cause, the partner, what it means and what to do', async () => {
  expect(jsonOf(await why(idOf(replies.signature), '--log', log, '--json'))).toEqual({
    request_id: idOf(replies.signature),
    at: TIME,
    method: 'GET',
    route: '/v1/payment_intents/:intent_id',
    status: 401,
    duration_ms: expect.any(Number) as number,
    credentials: 'signed_request',
    key_id: partner.key_id,
    partner_id: 'acme',
    intent_id: null,
    rejection: 'signature_wrong',
    member: null,
    seen_from: 'socket: 127.0.0.1',
    ...SIGNATURE_REJECTIONS.signature_wrong,
    failures: [],
  });
});

it('prints sentences to people', async () => {
  const text = textOf(await why(idOf(replies.token), '--log', log));
  expect(text).toMatch(/^rejection +aud_wrong$/m);
  expect(text).toContain('\nStep 4: aud is not service-checkout.\nMint with aud');
});

it.each([
  ['none', 'The request was not rejected.'],
  ['missing', 'The response says why.'],
] as const)(
  'says if a request was not rejected, or if its response says why: %s',
  async (which, words) => {
    const ran = await why(idOf(replies[which]), '--log', log);
    expect(ran.stdout).toContain(words);
  },
);

describe('a request with the wrong kind of credentials', () => {
  const signed = (method: string, to: string) => sign(partner, { method, path: to });
  type Credentials = (method: string, to: string) => Record<string, string>;
  it.each<[string, string, Credentials, string]>([
    ['none', 'GET ', () => ({}), 'It carried neither'],
    ['none', 'POST /cancel', () => ({ Authorization: 'Basic x' }), 'It carried neither'],
    ['none', 'POST /confirm', () => ({}), 'It carried neither'],
    ['a bearer token alone', 'POST /cancel', () => bearer('a.b.c'), 'A signature is needed'],
    ['a signature alone', 'POST /confirm', signed, 'A session token is needed'],
    ['one signing header', 'POST /confirm', keyIdAlone, 'A session token is needed'],
    ['both', 'POST /cancel', both, 'It carried both'],
    ['both', 'POST /confirm', both, 'It carried both'],
  ])('is explained: %s to %s', async (_kinds, operation, credentials, words) => {
    const [method = '', end = ''] = operation.split(' ');
    const to = path + end;
    const reply = await app.send({ method, path: to, headers: credentials(method, to) });
    expect(reply.status).toBe(401);
    expect((await story(idOf(reply), app.lines.join('\n'))).means).toContain(words);
  });

  function keyIdAlone() {
    return { 'X-Service-Key-Id': partner.key_id };
  }
  function both(method: string, to: string) {
    return { ...signed(method, to), ...bearer('a.b.c') };
  }
});

it.each([
  ['/v1 twice', 'POST', '/v1/v1/payment_intents', 'Its path has /v1 twice.'],
  ['a trailing slash', 'POST', '/v1/payment_intents/', 'Its path ends with a slash'],
  ['another method', 'PUT', '/v1/payment_intents', 'but not with this method'],
  ['another path', 'POST', '/v2/payment_intents', 'Its path is none of the API.'],
])('explains the 404 of a request line with %s', async (_, method, to, words) => {
  const reply = await app.send({ method, path: to, headers: sign(partner, { method, path: to }) });
  expect(reply.status).toBe(404);
  const { means, advice } = await story(idOf(reply), app.lines.join('\n'));
  expect(means).toContain(words);
  expect(advice).not.toBeNull();
});

it('says why a key set could not be fetched at that time, even if it is there again', async () => {
  const away = await aPartner(bed, { name: 'away' });
  const confirm = async () => {
    const intent = await anIntent(bed, away);
    return app.confirm(intent, mintToken(away, intent));
  };
  const rejected = await confirm();
  keySets.published.set(away.jwks_url, away.jwks);
  expect((await confirm()).status).toBe(200);
  const found = await story(idOf(rejected), app.lines.join('\n'));
  expect(found).toMatchObject({
    rejection: 'key_set_not_fetched',
    failures: ['key set not fetched: the key set answered 404'],
  });
});

it('warns of a 503 to a confirm, which may still be carried out', async () => {
  const intent = await anIntent(bed, partner);
  app.mode = 'no_answer';
  const reply = await app.confirm(intent, mintToken(partner, intent));
  app.mode = 'settle';
  expect(reply.status).toBe(503);
  const file = join(folder, 'undecided.log');
  writeFileSync(file, app.lines.join('\n'));
  const words = textOf(await why(idOf(reply), '--log', file)).replaceAll(/\s+/g, ' ');
  expect(words).toContain(`and the payment be paid: "payctl intents show ${intent.intentId}" says`);
  expect(words).toContain('must not pay in another way.');
});

it('reads the logs of npm start unless another is named', async () => {
  const local = join(folder, 'local');
  mkdirSync(join(local, 'logs'), { recursive: true });
  writeFileSync(join(local, 'logs', 'api.log.1'), app.lines.slice(0, 1).join('\n'));
  writeFileSync(join(local, 'logs', 'api.log'), app.lines.slice(1).join('\n'));
  const onSandbox = { DATABASE_URL: '', LOCAL_DIR: local };
  for (const reply of [replies.signature, replies.token]) {
    const ran = await runPayctl(bed, ['requests', 'why', idOf(reply), '--json'], onSandbox);
    expect(JSON.parse(ran.stdout)).toMatchObject({ request_id: idOf(reply), status: 401 });
  }
});

it('is rejected without --log if there is no sandbox', async () => {
  expectRejected(
    await why(idOf(replies.token)),
    1,
    /^payctl: There is no log of a sandbox .*--log -\.\n$/,
  );
});

it('says which lines it read if none is of the request', async () => {
  expectRejected(
    await why('req_000000000000000000000000', '--log', log, '--log', log),
    1,
    `payctl: None of 12 lines, from ${TIME} to 2026-03-02T12:00:03.000Z is of req_000000000000000000000000. Search`,
  );
});

it.each([
  ['req_4711', 'is not a request id'],
  ['req_000000000000000000000000', 'cannot be read (ENOENT'],
])('rejects %s with a sentence', async (requestId, words) => {
  expectRejected(await why(requestId, '--log', join(folder, 'nowhere.log')), 1, words);
});

describe('a log', () => {
  const id = `req_${'a1'.repeat(12)}`;
  const line = (members: object) => JSON.stringify({ request_id: id, ...members });

  it('may have a name before each line, and anything between them', async () => {
    const text = `api-1  | ${line({ status: 401, credentials: 'signed_request', rejection: 'nonce_seen' })}\n${id} said hello\n{${id}\n[]`;
    await expect(story(id, text)).resolves.toMatchObject({
      rejection: 'nonce_seen',
      ...SIGNATURE_REJECTIONS.nonce_seen,
    });
  });

  it('shows what failed, even if no response was sent', async () => {
    const failed = line({ time: '2026-03-02T12:00:00.000Z', err: { message: 'it broke' } });
    const answered = line({
      time: '2026-03-02T12:00:00.001Z',
      status: 500,
      rejection: 'internal_error',
    });
    await expect(story(id, failed)).resolves.toMatchObject({
      at: '2026-03-02T12:00:00.000Z',
      ...{ status: null, rejection: null, failures: ['it broke'] },
    });
    await expect(story(id, `${failed}\n${answered}`)).resolves.toMatchObject({
      at: '2026-03-02T12:00:00.001Z',
      ...{ status: 500, means: null, failures: ['it broke'] },
    });
  });

  it('may have a very long line, and members of unexpected types', async () => {
    const endless = 'x'.repeat(300_000);
    const odd = line({ status: '401', rejection: 7, err: 'no', credentials: null, key_id: {} });
    const text = `${endless}\n${odd}\n${endless}${line({ status: 401 })}\n`;
    await expect(story(id, text)).resolves.toMatchObject({
      ...{ status: null, rejection: null, key_id: null, failures: [] },
    });
  });

  it('has no explanation for a reason that is the name of an object method', async () => {
    await expect(story(id, line({ status: 401, rejection: 'toString' }))).resolves.toMatchObject({
      rejection: 'toString',
      means: null,
    });
  });
});

it('explains every cause in sentences', () => {
  const all = EXPLAINED.flatMap((reasons) => Object.values(reasons));
  expect(all.length).toBeGreaterThan(25);
  expect(all.filter(({ means, advice }) => !means.endsWith('.') || !advice.endsWith('.'))).toEqual(
    [],
  );
});
