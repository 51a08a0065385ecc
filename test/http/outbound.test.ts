// The HTTP client for outgoing calls: every call finishes within its timeout, and none uses a
// proxy.
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

/** A guard that allows every address and uses this look-up. */
const guardWith = (lookup: LookupFunction): OutboundGuard => ({
  rejectionOfUrl: () => undefined,
  lookupFor: () => lookup,
});

describe('a call finishes within its timeout', () => {
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
    ['sends its answer byte by byte', drip],
  ])('when the other side %s', async (_what, listener) => {
    const { port } = await servers.http(listener);
    await expect(send(`http://127.0.0.1:${port}/`, 200)).rejects.toThrow('timeout after 0.2 s');
  });

  it('when the other side accepts the connection and never starts TLS', async () => {
    const { port } = await servers.silent();
    await expect(send(`https://127.0.0.1:${port}/`, 200)).rejects.toThrow('timeout after 0.2 s');
  });

  it('when no name server answers', async () => {
    outbound = createOutbound({ guard: guardWith(() => undefined) });
    await expect(send('http://silent.test/', 200)).rejects.toThrow('timeout after 0.2 s');
  });

  it('and sends nothing when the connection is made after that', async () => {
    const urls: (string | undefined)[] = [];
    const server = await servers.http(({ url }, response) => {
      urls.push(url);
      response.end();
    });
    let answer = () => undefined as unknown;
    const guard = guardWith((_name, _options, callback) => {
      answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    });
    outbound = createOutbound({ guard });
    const late = send(`http://late.test:${server.port}/late`, 200);
    await expect(late).rejects.toThrow('timeout after 0.2 s');
    const connected = once(server.server, 'connection');
    answer();
    await connected;
    await send(`http://127.0.0.1:${server.port}/next`);
    expect([urls, server.connections]).toEqual([['/next'], 2]);
  });
});

it('a call to an invalid URL fails with that cause', async () => {
  await expect(send('https://[fe80::1%eth0]/')).rejects.toThrow('the address is not a URL');
});

it.each(['SSH-2.0\r\n\r\n', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'])(
  'a call that is answered with %j fails with a cause that says so',
  async (text) => {
    const { port } = await servers.http(({ socket }) => socket.end(text));
    const failed = send(`http://127.0.0.1:${port}/`);
    await expect(failed).rejects.toThrow('the answer is cut off or not HTTP');
  },
);

it('a proxy in the environment is not used', async () => {
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

// Decisions 19 and 110.
describe('one exchange', () => {
  const BOUNDS = { method: 'POST', body: '{}', timeoutMs: 5_000, maxBytes: 8 } as const;

  const agent = new Agent();
  afterAll(() => agent.destroy());

  async function exchangeWith(listener: RequestListener) {
    const { port } = await servers.http(listener);
    return exchange(agent, new URL(`http://127.0.0.1:${port}/a?b=c`), BOUNDS);
  }

  it('sends method, path with its query, and body', async () => {
    const received: unknown[] = [];
    await exchangeWith((request, response) => {
      received.push(request.method, request.url);
      request.pipe(response);
    });
    expect(received).toEqual(['POST', '/a?b=c']);
  });

  it('returns status, headers and body after any informational responses', async () => {
    const reply = await exchangeWith((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(429, { 'retry-after': '60' }).end('busy');
    });
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '60' }, isCut: false });
    expect(reply.body.toString()).toBe('busy');
  });

  it('returns an empty body when there is none', async () => {
    const reply = await exchangeWith((_request, response) => response.writeHead(204).end());
    expect([reply.status, reply.body.length, reply.isCut]).toEqual([204, 0, false]);
  });

  it('reads up to its limit, and cuts an endless response', async () => {
    const reply = await exchangeWith((_request, response) => {
      const flow = () => {
        while (response.write('0123456789'.repeat(1_000)));
      };
      response.writeHead(200).on('drain', flow);
      flow();
    });
    expect([reply.body.toString(), reply.isCut]).toEqual(['01234567', true]);
  });

  it('fails with UND_ERR_SOCKET when the connection breaks within a response', async () => {
    const broken = exchangeWith((_request, response) => {
      response.writeHead(200, { 'content-length': '8' });
      response.write('0123', () => response.destroy());
    });
    await expect(broken).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it('fails with UND_ERR_SOCKET when the response switches protocols', async () => {
    const switched = exchangeWith((_request, response) => {
      response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end();
    });
    await expect(switched).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it('times out while the connection is being made', async () => {
    // This server never answers the TLS handshake.
    const { port } = await servers.silent();
    const url = new URL(`https://127.0.0.1:${port}/`);
    await expect(exchange(agent, url, { ...BOUNDS, timeoutMs: 100 })).rejects.toThrow(
      ExchangeTimeout,
    );
  });

  it('rejects invalid headers', async () => {
    const url = new URL('http://127.0.0.1:9/');
    const headers = { 'x-bad': 'line\r\nbreak' };
    await expect(exchange(agent, url, { ...BOUNDS, headers })).rejects.toMatchObject({
      code: 'UND_ERR_INVALID_ARG',
    });
  });
});
