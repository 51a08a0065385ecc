// Decision 24: requests that Node would answer by itself or not at all. No request gets the answer
// of another, none ends the process, and a client that only holds its connection is disconnected.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { closeServer } from '../../../api/server';
import { pathOf } from '../../support/app';
import { aServer, type Handler } from '../../support/servers/bare-server';
import { withApi } from '../../support/brackets';
import { sign } from '../../support/payments/partner';
import { rawRequest, sendRaw } from '../../support/http/raw-http';
import { expectRejection } from './world';

const INTENTS = '/v1/payment_intents';
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const CONNECT = 'CONNECT bank.example:443 HTTP/1.1\r\nHost: bank.example\r\n\r\n';
const post = (headers: string, body = '') =>
  `POST ${INTENTS} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`;
const CHUNKED = post('Transfer-Encoding: chunked');

const { app, partner, intent } = withApi();
const raw = (...parts: readonly (string | Buffer)[]) => app.sendRaw(...parts);
const isServing = async () => (await app.send({ path: '/healthz' })).status === 200;

describe('CONNECT', () => {
  it('is 404 in the envelope, and its connection is closed', async () => {
    expectRejection(await raw(CONNECT, 'bytes for the bank'), 404);
  });

  it('that is reset does not end the process', async () => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(CONNECT));
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect(await isServing()).toBe(true);
  });

  it('after a request gets no answer of its own', async () => {
    expect(await raw(`${HEALTH}${CONNECT}`)).toMatchObject([{ status: 200 }]);
  });
});

describe('a request to change the protocol', () => {
  it.each([['websocket'], ['h2c'], ['TLS/1.0']])('by Upgrade: %s is ignored', async (name) => {
    const path = pathOf(intent);
    const signed = Object.entries(sign(partner, { method: 'GET', path }));
    const text = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: ${name}\r\n`;
    const headers = signed.map((pair) => `${pair.join(': ')}\r\n`).join('');
    expect(await raw(`${text}${headers}\r\n`)).toMatchObject([{ status: 200 }]);
  });

  it('by the HTTP/2 preface is 400', async () => {
    expectRejection(await raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 400);
  });
});

describe('a body that cannot be read completely', () => {
  it.each([
    ['a chunk of no size', 'zz\r\n'],
    ['a chunk of a negative size', '-1\r\n'],
    ['a chunk of a huge size', 'fffffffffffffffff\r\n'],
    ['a chunk longer than it says', '1\r\nabc\r\n'],
    ['an extension of 100 kB', `1;${'x'.repeat(100_000)}\r\n`],
  ])('because of %s is one 400', async (_name, chunk) => {
    expectRejection(await raw(CHUNKED, chunk), 400);
  });

  it('after a valid request is 400, and the valid one has its own answer', async () => {
    const replies = await raw(HEALTH, CHUNKED, 'zz\r\n');
    expect(replies.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('after it was rejected already is not answered twice', async () => {
    const tooLarge = `10001\r\n${'x'.repeat(65_537)}\r\n`;
    expect(await raw(CHUNKED, tooLarge, 'zz\r\n')).toMatchObject([{ status: 400 }]);
  });

  it('because the client has closed its side is 400', async () => {
    const socket = connect({ port: app.port, host: '127.0.0.1' }, () => {
      socket.end(post('Content-Length: 10', 'abc'));
    });
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString('latin1')).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  it('because its encoding is unknown is 400', async () => {
    expectRejection(await raw(post('Transfer-Encoding: gzip', 'abc')), 400);
  });

  it('because it has over 2 000 chunks is 400, the last answer on its connection', async () => {
    const last = CHUNKED.replace('Host: x', 'Host: x\r\nConnection: close');
    const chunks = '1\r\nx\r\n'.repeat(2_000);
    expect(await raw(last, `${chunks}0\r\n\r\n`)).toMatchObject([{ status: 401 }]);
    const replies = await raw(CHUNKED, `${chunks}1\r\nx\r\n`);
    expectRejection(replies, 400);
    expect(replies[0]?.text).toContain('The body came in more than 2000 chunks.');
  });

  it.each([
    'gzip, chunked',
    'identity, chunked',
    'chunked, chunked',
    'chunked\r\nTransfer-Encoding: chunked',
  ])('because it has further codings (%s) is 400', async (coding) => {
    expectRejection(await raw(CHUNKED.replace('chunked', coding), '3\r\nabc\r\n0\r\n\r\n'), 400);
  });
});

it('a body in Chunked is read, because coding names are case-insensitive', async () => {
  const text = CHUNKED.replace('chunked', 'Chunked\r\nConnection: close');
  expect(await raw(text, '3\r\nabc\r\n0\r\n\r\n')).toMatchObject([{ status: 401 }]);
});

describe('invalid HTTP', () => {
  it.each([
    ['a line of nonsense', 'nonsense\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['newlines without returns', 'GET / HTTP/1.1\nHost: x\n\n'],
    ['a folded header', post('A: b\r\n c')],
    ['a blank before a colon', post('A : b')],
    ['a header without a name', post(': b')],
    ['a NUL in a header', post('A: a\0b')],
    ['a length that is not a number', post('Content-Length: 1e3')],
    ['a negative length', post('Content-Length: -1')],
    ['two different lengths', post('Content-Length: 1\r\nContent-Length: 2')],
    ['a length beside chunks', post('Content-Length: 1\r\nTransfer-Encoding: chunked')],
    ['an unknown version', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n'],
  ])('as in %s is one 400, even if more bytes follow', async (_name, bytes) => {
    expectRejection(await raw(bytes, 'more', HEALTH, 'x'.repeat(100_000)), 400);
  });

  it.each([
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
  ])('with %s is 400', async (_name, text) => {
    expectRejection(await raw(text), 400);
  });

  it('after a request is dropped, and the request is answered', async () => {
    expect(await raw(`${HEALTH}nonsense\r\n\r\n`)).toMatchObject([{ status: 200 }]);
    expect(await isServing()).toBe(true);
  });
});

/** A server with timeouts of milliseconds instead of seconds. */
const aServerWithShortTimeouts = (handler: Handler) =>
  aServer(handler, { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 10 });

describe('a client that is slow', () => {
  it.each([
    ['nothing', ''],
    ['half a line', 'GET /hea'],
    ['half its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX'],
  ])('to send more than %s is 400', async (_name, text) => {
    const { server, port } = await aServerWithShortTimeouts(() => undefined);
    const replies = await sendRaw(port, text);
    await closeServer(server, 1);
    expectRejection(replies, 400);
    expect(replies[0]?.text).toContain('The request did not arrive in time.');
  });

  it('to send its body aborts the read in the application, which answers', async () => {
    const { server, port } = await aServerWithShortTimeouts((request, response) => {
      request.once('aborted', () => response.writeHead(400).end());
    });
    expect(await sendRaw(port, post('Content-Length: 10', 'abc'))).toMatchObject([{ status: 400 }]);
    await closeServer(server, 1);
  });

  it('to disconnect after a rejection is cut', async () => {
    const { server, port } = await aServerWithShortTimeouts(() => undefined);
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
