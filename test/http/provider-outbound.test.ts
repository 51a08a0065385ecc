// A connection to a payout provider ends by a reset, whatever ends it: then the kernel drops what the provider has not
// acknowledged (architecture, section 6).
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { createOutbound, type Outbound } from '../../src/http/outbound';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import { createResettingConnect } from '../../src/http/resetting-connect';
import { recogniseErrorsOfNode } from '../support/builders';
import { certificateAndKey } from '../support/certificate';
import { createCountedServers } from '../support/counted-servers';

recogniseErrorsOfNode();

const servers = createCountedServers();
let outbound: Outbound;
beforeEach(() => {
  outbound = createProviderOutbound();
});
afterEach(async () => {
  servers.closeAll();
  await outbound.close();
});

const send = (url: string, timeoutMs = 20_000) =>
  outbound.send({ method: 'POST', url, body: '{}', timeoutMs, maxBytes: 100 });

/** A server that does this with a connection once a request has come, and how the connection ended for it. */
async function serverThat(onRequest: (socket: Socket) => unknown) {
  let tellEnd: (how: string) => void;
  const ended = new Promise<string>((resolve) => {
    tellEnd = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', () => onRequest(socket));
    socket.once('end', () => tellEnd('closed'));
    socket.once('error', (error: NodeJS.ErrnoException) => tellEnd(error.code ?? ''));
  });
  const { port } = await servers.start(server);
  return { port, url: `http://127.0.0.1:${port}/`, ended };
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

it.each<[string, (socket: Socket) => unknown]>([
  ['never comes', () => undefined],
  ['stops in its middle', (socket) => socket.write(`${HEAD}content-length: 9\r\n\r\n{"a`)],
  ['is longer than is read', (socket) => socket.write(`${HEAD}\r\n${'x'.repeat(200)}`)],
  ['is not HTTP', (socket) => socket.write('SSH-2.0\r\n\r\n')],
  ['has too large headers', (socket) => socket.write(`${HEAD}a: ${'x'.repeat(20_000)}\r\n`)],
  ['switches protocols', (socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: other\r\n\r\n')],
  ['is cut by the other side', (socket) => socket.end(`${HEAD}content-length: 9\r\n\r\n{"a`)],
  ['is the end of the connection', (socket) => socket.end()],
])('resets the connection when the answer %s', async (_what, onRequest) => {
  const { url, ended } = await serverThat(onRequest);
  await send(url, 300).catch(() => undefined);
  expect(await ended).toBe('ECONNRESET');
});

it('resets a connection that is open when the client is closed', async () => {
  const { url, ended } = await serverThat((socket) =>
    socket.write(`${HEAD}content-length: 2\r\n\r\n{}`),
  );
  expect((await send(url)).body.toString()).toBe('{}');
  await outbound.close();
  expect(await ended).toBe('ECONNRESET');
});

it('resets a connection in the middle of the handshake of TLS', async () => {
  // The first bytes are the handshake's.
  const { port, ended } = await serverThat(() => undefined);
  outbound = createOutbound({ connect: createResettingConnect(300) });
  await expect(send(`https://127.0.0.1:${port}/`)).rejects.toThrow('no connection in time');
  expect(await ended).toBe('ECONNRESET');
});

it('sends nothing to a server whose certificate no authority has signed', async () => {
  const received: Buffer[] = [];
  const server = createSecureServer(certificateAndKey(), (socket) => {
    socket.on('data', (chunk: Buffer) => received.push(chunk));
  });
  const failed = once(server, 'tlsClientError');
  const { port } = await servers.start(server);
  await expect(send(`https://127.0.0.1:${port}/`)).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
  await failed.catch(() => undefined);
  expect(received).toEqual([]);
});

it('finds a name, by whichever of its addresses is served', async () => {
  const { port } = await servers.http((_, response) => response.end('here'));
  expect((await send(`http://localhost:${port}/`)).body.toString()).toBe('here');
});

it('tells why a connection was not made', async () => {
  const { port, server } = await servers.silent();
  server.close();
  await expect(send(`http://127.0.0.1:${port}/`)).rejects.toThrow('connection refused');
});
