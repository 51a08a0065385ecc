// The client for everything that leaves the house: it ends in its time, whatever the other side does, and asks no proxy.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { createOutbound, type Outbound, type OutboundGuard } from '../../src/http/outbound';
import { recogniseErrorsOfNode } from '../support/builders';
import { Agent } from 'undici';
import { exchange, ExchangeTimeout } from '../../src/http/exchange';
import { withServers } from '../support/servers/counted-servers';

recogniseErrorsOfNode();

const servers = withServers();
let outbound: Outbound;
beforeEach(() => {
  outbound = createOutbound();
});
afterEach(() => outbound.close());

const send = (url: string, timeoutMs = 20_000) =>
  outbound.send({ method: 'POST', url, body: '{}', timeoutMs, maxBytes: 100 });

/** Guards that let everything through and look names up as they are told. */
const looking = (lookup: LookupFunction): OutboundGuard => ({
  rejectionOfUrl: () => undefined,
  lookupFor: () => lookup,
});

describe('a call ends in its time', () => {
  const DRIP_EVERY_MS = 10;
  const drip: RequestListener = (_, response) => {
    const dripping = setInterval(() => response.write('.'), DRIP_EVERY_MS);
    response.on('close', () => {
      clearInterval(dripping);
    });
  };
  const stop: RequestListener = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nA: b');

  it.each<[string, RequestListener]>([
    ['is silent', () => undefined],
    ['stops within its headers', stop],
    ['sends its answer drop by drop', drip],
  ])('when the other side %s', async (_what, listener) => {
    const { port } = await servers.http(listener);
    await expect(send(`http://127.0.0.1:${port}/`, 200)).rejects.toThrow('timeout after 0.2 s');
  });

  it('when the other side accepts the connection and speaks no TLS', async () => {
    const { port } = await servers.silent();
    await expect(send(`https://127.0.0.1:${port}/`, 200)).rejects.toThrow('timeout after 0.2 s');
  });

  it('when no name server answers', async () => {
    outbound = createOutbound({ guard: looking(() => undefined) });
    await expect(send('http://silent.test/', 200)).rejects.toThrow('timeout after 0.2 s');
  });

  it('and sends nothing after that, though the connection comes about', async () => {
    const asked: (string | undefined)[] = [];
    const server = await servers.http(({ url }, response) => {
      asked.push(url);
      response.end();
    });
    let answer = () => undefined as unknown;
    const guard = looking((_name, _options, callback) => {
      answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    });
    outbound = createOutbound({ guard });
    const late = send(`http://late.test:${server.port}/late`, 200);
    await expect(late).rejects.toThrow('timeout after 0.2 s');
    const connected = once(server.server, 'connection');
    answer();
    await connected;
    await send(`http://127.0.0.1:${server.port}/next`);
    expect([asked, server.connections]).toEqual([['/next'], 2]);
  });
});

it('a call to what is no URL fails with a cause of its own', async () => {
  await expect(send('https://[fe80::1%eth0]/')).rejects.toThrow('the address is not a URL');
});

it('a proxy that the environment names is not used', async () => {
  const answers = () => servers.http((_, response) => response.end());
  const [server, proxy] = await Promise.all([answers(), answers()]);
  const url = `http://127.0.0.1:${proxy.port}`;
  const replaced = jest.replaceProperty(process, 'env', {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NODE_USE_ENV_PROXY: '1' },
    ...{ http_proxy: url, https_proxy: url, all_proxy: url },
  });
  try {
    const direct = createOutbound();
    const call = { method: 'GET', timeoutMs: 20_000, maxBytes: 100 } as const;
    await direct.send({ ...call, url: `http://127.0.0.1:${server.port}/` });
    await direct.close();
    expect([server.connections, proxy.connections]).toEqual([1, 0]);
  } finally {
    replaced.restore();
  }
});

// One request and its answer, bounded in time and size (decisions 19 and 110).
describe('one exchange', () => {
  const BOUNDS = { method: 'POST', body: '{}', timeoutMs: 5_000, maxBytes: 8 } as const;

  const agent = new Agent();
  afterAll(() => agent.destroy());

  async function askOf(listener: RequestListener) {
    const { port } = await servers.http(listener);
    return exchange(agent, new URL(`http://127.0.0.1:${port}/a?b=c`), BOUNDS);
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
    // Never answers the handshake of TLS.
    const { port } = await servers.silent();
    const url = new URL(`https://127.0.0.1:${port}/`);
    await expect(exchange(agent, url, { ...BOUNDS, timeoutMs: 100 })).rejects.toThrow(
      ExchangeTimeout,
    );
  });

  it('refuses what cannot be sent', async () => {
    const url = new URL('http://127.0.0.1:9/');
    const headers = { 'x-bad': 'line\r\nbreak' };
    await expect(exchange(agent, url, { ...BOUNDS, headers })).rejects.toMatchObject({
      code: 'UND_ERR_INVALID_ARG',
    });
  });
});
