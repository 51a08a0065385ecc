// One request and its answer, bounded in time and size (decisions 19 and 110).
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { Agent } from 'undici';
import { exchange, ExchangeTimeout } from '../../src/http/exchange';
import { listen } from '../../src/main/listen';
import { recogniseErrorsOfNode } from '../support/builders';

recogniseErrorsOfNode();

const BOUNDS = { method: 'POST', body: '{}', timeoutMs: 5_000, maxBytes: 8 } as const;

let agent: Agent;
beforeAll(() => {
  agent = new Agent();
});
afterAll(() => agent.destroy());

async function askOf(listener: RequestListener) {
  const server = createServer(listener);
  const port = await listen(server, 0, '127.0.0.1');
  try {
    return await exchange(agent, new URL(`http://127.0.0.1:${String(port)}/a?b=c`), BOUNDS);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it('asks by method, path with its query, and body', async () => {
  const asked: unknown[] = [];
  await askOf((request, response) => {
    asked.push(request.method, request.url);
    request.pipe(response);
  });
  expect(asked).toEqual(['POST', '/a?b=c']);
});

it('answers status, headers and body, however many informational answers come first', async () => {
  const reply = await askOf((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(429, { 'retry-after': '60' }).end('busy');
  });
  expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '60' }, isCut: false });
  expect(reply.body.toString()).toBe('busy');
});

it('answers no body as an empty one', async () => {
  const reply = await askOf((_request, response) => response.writeHead(204).end());
  expect([reply.status, reply.body.length, reply.isCut]).toEqual([204, 0, false]);
});

it('reads as much as it may, and cuts an answer that goes on for ever', async () => {
  const reply = await askOf((_request, response) => {
    const flow = () => {
      while (response.write('0123456789'.repeat(1_000)));
    };
    response.writeHead(200).on('drain', flow);
    flow();
  });
  expect([reply.body.toString(), reply.isCut]).toEqual(['01234567', true]);
});

it('ends with the error of a connection that breaks in the middle of an answer', async () => {
  const broken = askOf((_request, response) => {
    response.writeHead(200, { 'content-length': '8' });
    response.write('0123', () => response.destroy());
  });
  await expect(broken).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
});

it('ends with the error of an answer that switches protocols', async () => {
  const switched = askOf((_request, response) => {
    response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end();
  });
  await expect(switched).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
});

it('gives up in time while the connection is being made, and sends nothing after all', async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    // Never answers the handshake of TLS.
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  const port = await new Promise<number>((resolve) => {
    server.once('listening', () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
  const url = new URL(`https://127.0.0.1:${String(port)}/`);
  await expect(exchange(agent, url, { ...BOUNDS, timeoutMs: 100 })).rejects.toThrow(
    ExchangeTimeout,
  );
  for (const socket of sockets) socket.destroy();
  server.close();
});

it('refuses what cannot be sent', async () => {
  const url = new URL('http://127.0.0.1:9/');
  const headers = { 'x-bad': 'line\r\nbreak' };
  await expect(exchange(agent, url, { ...BOUNDS, headers })).rejects.toMatchObject({
    code: 'UND_ERR_INVALID_ARG',
  });
});
