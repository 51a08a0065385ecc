// Decision 24: what Node would answer by itself, or not at all. One request never gets another's answer, nothing ends
// the process, and a client that only holds its connection is let go of.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closeServer, createApiServer } from '../../api/server';
import { listen } from '../../src/main/listen';
import { sign } from '../support/partner';
import { createTestClock } from '../support/clock';
import { rawRequest, sendRaw, type RawReply } from '../support/raw-http';
import { expectRefusal, openHostileWorld, type HostileWorld } from './hostile-world';

const NONE: RawReply = { status: 0, head: '', text: '' };
const INTENTS = '/v1/payment_intents';
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const CONNECT = 'CONNECT bank.example:443 HTTP/1.1\r\nHost: bank.example\r\n\r\n';
const CHUNKED = `POST ${INTENTS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;

let world: HostileWorld;
beforeAll(async () => {
  world = await openHostileWorld();
});
afterAll(() => world.close());

const raw = (...parts: readonly (string | Buffer)[]) => world.app.sendRaw(...parts);
const isServing = async () => (await world.app.send({ path: '/healthz' })).status === 200;

describe('CONNECT', () => {
  it('is 404 in the envelope, and its connection is closed', async () => {
    const replies = await raw(CONNECT, 'bytes for the bank');
    expect(replies).toHaveLength(1);
    expectRefusal(replies[0] ?? NONE, 404);
  });

  it('that is reset ends nothing but itself', async () => {
    const socket = connect(world.app.port, '127.0.0.1', () => socket.write(CONNECT));
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect(await isServing()).toBe(true);
  });

  it('behind a request gets none of its answer', async () => {
    expect(await raw(`${HEALTH}${CONNECT}`)).toMatchObject([{ status: 200 }]);
  });
});

describe('an offer of another protocol', () => {
  it.each([['websocket'], ['h2c'], ['TLS/1.0']])(
    'as in Upgrade: %s is not taken up',
    async (name) => {
      const path = `${INTENTS}/${world.intent.intentId}`;
      const signed = Object.entries(sign(world.partner, { method: 'GET', path }));
      const text = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: ${name}\r\n`;
      const headers = signed.map((pair) => `${pair.join(': ')}\r\n`).join('');
      expect(await raw(`${text}${headers}\r\n`)).toMatchObject([{ status: 200 }]);
    },
  );

  it('as HTTP/2 begins is 400', async () => {
    expectRefusal((await raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))[0] ?? NONE, 400);
  });
});

describe('a body that cannot be read to its end', () => {
  it.each([
    ['a chunk of no size', 'zz\r\n'],
    ['a chunk of a negative size', '-1\r\n'],
    ['a chunk of a huge size', 'fffffffffffffffff\r\n'],
    ['a chunk longer than it says', '1\r\nabc\r\n'],
    ['an extension of 100 kB', `1;${'x'.repeat(100_000)}\r\n`],
  ])('for %s is one 400', async (_name, chunk) => {
    const replies = await raw(CHUNKED, chunk);
    expect(replies).toHaveLength(1);
    expectRefusal(replies[0] ?? NONE, 400);
  });

  it('behind a good request is 400, and the good one has its own answer', async () => {
    const replies = await raw(HEALTH, CHUNKED, 'zz\r\n');
    expect(replies.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('because it was refused before is not answered twice', async () => {
    const tooLarge = `10001\r\n${'x'.repeat(65_537)}\r\n`;
    expect(await raw(CHUNKED, tooLarge, 'zz\r\n')).toMatchObject([{ status: 400 }]);
  });

  it('because the client has ended it is 400', async () => {
    const socket = connect({ port: world.app.port, host: '127.0.0.1' }, () => {
      socket.end(`POST ${INTENTS} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc`);
    });
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString('latin1')).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  it('in an encoding that is not known is 400', async () => {
    const text = `POST ${INTENTS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nabc`;
    expectRefusal((await raw(text))[0] ?? NONE, 400);
  });

  it('in 2 000 chunks is read, and in one more is 400, the last answer on its connection', async () => {
    const last = CHUNKED.replace('Host: x', 'Host: x\r\nConnection: close');
    const chunks = '1\r\nx\r\n'.repeat(2_000);
    expect(await raw(last, `${chunks}0\r\n\r\n`)).toMatchObject([{ status: 401 }]);
    const replies = await raw(CHUNKED, `${chunks}1\r\nx\r\n`);
    expect(replies).toHaveLength(1);
    expectRefusal(replies[0] ?? NONE, 400);
    expect(replies[0]?.text).toContain('The body came in more than 2000 chunks.');
  });

  it.each([
    'gzip, chunked',
    'identity, chunked',
    'chunked, chunked',
    'chunked\r\nTransfer-Encoding: chunked',
  ])('in chunks, but in more than them (%s), is 400', async (coding) => {
    const [reply = NONE] = await raw(CHUNKED.replace('chunked', coding), '3\r\nabc\r\n0\r\n\r\n');
    expectRefusal(reply, 400);
  });

  it('in Chunked is read: names of codings have no case', async () => {
    const text = CHUNKED.replace('chunked', 'Chunked\r\nConnection: close');
    expect(await raw(text, '3\r\nabc\r\n0\r\n\r\n')).toMatchObject([{ status: 401 }]);
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['a line of nonsense', 'nonsense\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['newlines without returns', 'GET / HTTP/1.1\nHost: x\n\n'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    ['a blank before a colon', 'GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n'],
    ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1e3\r\n\r\n'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a version of its own', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n'],
  ])('as in %s is one 400, whatever else is sent', async (_name, bytes) => {
    const replies = await raw(bytes, 'more', HEALTH, 'x'.repeat(100_000));
    expect(replies).toHaveLength(1);
    expectRefusal(replies[0] ?? NONE, 400);
  });

  it('behind a request is dropped, and the request is answered', async () => {
    expect(await raw(`${HEALTH}nonsense\r\n\r\n`)).toMatchObject([{ status: 200 }]);
    expect(await isServing()).toBe(true);
  });
});

interface Impatient {
  readonly server: Server;
  readonly port: number;
}

/** A server that gives up after milliseconds on what it otherwise waits seconds for. */
async function anImpatientServer(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Impatient> {
  const randomness = { bytes: (count: number) => randomBytes(count) };
  const server = createApiServer({
    handler,
    envelope: 'flat',
    randomness,
    clock: createTestClock(),
  });
  Object.assign(server, {
    headersTimeout: 20,
    requestTimeout: 40,
    connectionsCheckingInterval: 10,
  });
  return { server, port: await listen(server, 0, '127.0.0.1') };
}

describe('a client that is slow', () => {
  it.each([
    ['nothing', ''],
    ['half a line', 'GET /hea'],
    ['half its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX'],
  ])('to send more than %s is 400', async (_name, text) => {
    const { server, port } = await anImpatientServer(() => undefined);
    const [reply = NONE] = await sendRaw(port, text);
    await closeServer(server, 1);
    expectRefusal(reply, 400);
    expect(reply.text).toContain('The request did not arrive in time.');
  });

  it('to send its body ends the wait of whoever reads it, who answers', async () => {
    const { server, port } = await anImpatientServer((request, response) => {
      request.once('aborted', () => response.writeHead(400).end());
    });
    const text = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc';
    expect(await sendRaw(port, text)).toMatchObject([{ status: 400 }]);
    await closeServer(server, 1);
  });

  it('to go when it has been refused is cut', async () => {
    const { server, port } = await anImpatientServer(() => undefined);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    const [held] = await accepted;
    client.write(rawRequest('nonsense'));
    await once(held, 'close');
    expect(held.destroyed).toBe(true);
    client.destroy();
    await closeServer(server, 60_000);
  });
});
