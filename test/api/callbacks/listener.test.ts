// The listener for callbacks over real HTTP (decision 156): what is not certainly the provider's is
// 401 and no work, and no sender holds more of the worker than its share.
import { connect, type Socket } from 'node:net';
import { createCallbackApp } from '../../../api/callbacks';
import { until } from '../../../src/dev/until';
import { BODY_MAX_BYTES } from '../../../src/domain/limits';
import { createDatabase } from '../../../src/postgres/database';
import { createLatch } from '../../faults/live/latch';
import { bracket } from '../../support/brackets';
import { anIntentId, recogniseErrorsOfNode } from '../../support/builders';
import { sendRaw } from '../../support/http/raw-http';
import { aServer } from '../../support/servers/bare-server';
import { SILENT } from '../../support/silent-log';
import { openListener } from './listener';
import { httpCallback, musePayCallback, transFiCallback, type Callback } from './signed';

recogniseErrorsOfNode();

let statements = 0;
const database = {
  query: () => {
    statements += 1;
    return Promise.resolve({ rows: [] });
  },
};
const listener = bracket(
  () => openListener(database),
  ({ close }) => close(),
);
beforeEach(() => {
  statements = 0;
  listener.counted.length = 0;
});

const intentId = anIntentId();
const GENUINE = httpCallback({ intentId });
const altered = (callback: Callback): Callback => {
  const text = callback.body.toString().replace(intentId, anIntentId());
  return { ...callback, body: Buffer.from(text) };
};

it('a genuine callback of any account of the corridor leads to one statement', async () => {
  for (const callback of [GENUINE, musePayCallback({ intentId }), transFiCallback({ intentId })]) {
    await expect(listener.send(callback)).resolves.toMatchObject({ status: 200 });
  }
  expect(statements).toBe(3);
});

it.each<[string, Callback]>([
  ['by another secret', httpCallback({ intentId }, 'another credential')],
  ['without a signature', { ...GENUINE, headers: { 'content-type': 'application/json' } }],
  ['of our protocol with another body than was signed', altered(GENUINE)],
  ['of TransFi by another secret', transFiCallback({ intentId }, 'another secret')],
  ['of TransFi with another body than was signed', altered(transFiCallback({ intentId }))],
  [
    'of MusePay with another status than was signed',
    {
      ...musePayCallback({ intentId }),
      body: Buffer.from(musePayCallback({ intentId }).body.toString().replace('"99"', '"44"')),
    },
  ],
  ['of the account of another corridor', { ...GENUINE, path: '/callbacks/vn_qrpay' }],
  [
    'that is no JSON',
    { ...GENUINE, headers: { ...GENUINE.headers, 'content-type': 'text/plain' } },
  ],
  ['without a body', { ...GENUINE, body: Buffer.alloc(0) }],
])('a callback %s is 401, and no work', async (_what, callback) => {
  await expect(listener.send(callback)).resolves.toMatchObject({ status: 401 });
  expect(statements).toBe(0);
  expect(listener.counted).toEqual([`${callback.path.slice('/callbacks/'.length)} rejected`]);
});

it('a body over the limit is rejected, although it is signed', async () => {
  const reference = 'x'.repeat(BODY_MAX_BYTES);
  const answer = await listener.send(httpCallback({ intentId, reference }));
  expect(answer.status).toBe(400);
  expect([statements, ...listener.counted]).toEqual([0, 'th_qrpay rejected']);
});

it.each([
  ['GET', GENUINE.path],
  ['PUT', GENUINE.path],
  ['POST', '/callbacks'],
  ['POST', '/callbacks/xx_qrpay'],
  ['POST', '/callbacks/th_qrpay/'],
  ['GET', '/metrics'],
])('%s %s is 404, and counted for no corridor', async (method, path) => {
  await expect(listener.send({ ...GENUINE, path }, method)).resolves.toMatchObject({ status: 404 });
  expect([statements, ...listener.counted]).toEqual([0]);
});

it('is 503 with Retry-After while Postgres is away', async () => {
  const url = 'postgres://127.0.0.1:1/payments';
  const away = createDatabase({ url, poolSize: 2, onLostConnection: () => undefined });
  const other = await openListener(away);
  try {
    await expect(other.send(GENUINE)).resolves.toEqual({ status: 503, retryAfter: '1' });
    expect(other.counted).toEqual(['th_qrpay unavailable']);
  } finally {
    await Promise.all([other.close(), away.close()]);
  }
});

it('is 503 while eight others wait for Postgres, which keeps its connections for payments', async () => {
  const held = createLatch();
  let taking = 0;
  const counted: string[] = [];
  const provider = { account: 'a', readCallback: () => ({ key: null, reference: null }) } as never;
  const app = createCallbackApp({
    accounts: { th_qrpay: [provider], vn_qrpay: [] },
    take: async () => {
      taking += 1;
      await held.isOpen;
      return 'taken';
    },
    count: (_corridor, result) => counted.push(result),
    ...{ randomness: { bytes: (count) => new Uint8Array(count) }, log: SILENT },
  });
  const { server, port } = await aServer(app.callback());
  const post = () =>
    fetch(`http://127.0.0.1:${String(port)}/callbacks/th_qrpay`, { method: 'POST' });
  const waiting = Array.from({ length: 8 }, post);
  await until(() => taking === 8, { timeoutMs: 10_000 });
  expect((await post()).status).toBe(503);
  held.open();
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect((await post()).status).toBe(200);
  expect(counted).toEqual(['unavailable', ...Array.from({ length: 9 }, () => 'taken')]);
  server.close();
});

it('senders that never finish a request keep no other from being answered', async () => {
  const slow: Socket[] = [];
  const begin = (text: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () => {
        socket.write(text, () => resolve());
      });
      socket.on('error', () => resolve());
      slow.push(socket);
    });
  const [head] = [`POST ${GENUINE.path} HTTP/1.1\r\nHost: x\r\n`];
  await Promise.all(Array.from({ length: 150 }, () => begin(head)));
  await Promise.all(Array.from({ length: 150 }, () => begin(`${head}Content-Length: 99\r\n\r\n{`)));
  await expect(listener.send(GENUINE)).resolves.toMatchObject({ status: 200 });
  for (const socket of slow) socket.destroy();
});

it('bytes that are no HTTP are 400', async () => {
  const [answer] = await sendRaw(listener.port, 'GARBAGE\r\n\r\n');
  expect(answer?.status).toBe(400);
});
