// The HTTP client for outgoing calls: every call finishes within its timeout, and none uses a
// proxy.
import { Agent, type RequestListener } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createOutbound, type Outbound, type OutboundGuard } from '../../src/http/outbound';
import { recogniseErrorsOfNode } from '../support/builders';
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

  it('and makes no connection after that', async () => {
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
    answer();
    await send(`http://127.0.0.1:${server.port}/next`);
    expect([urls, server.connections]).toEqual([['/next'], 1]);
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

  const agents = { plain: new Agent(), secure: new SecureAgent() };

  async function exchangeWith(listener: RequestListener) {
    const { port } = await servers.http(listener);
    return exchange(agents, new URL(`http://127.0.0.1:${port}/a?b=c`), BOUNDS);
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
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(429, { 'retry-after': '60' }).end('busy');
    });
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '60' }, isCut: false });
    expect(reply.body.toString()).toBe('busy');
  });

  const interim = (count: number, header = '') =>
    exchangeWith(({ socket }, response) => {
      for (let sent = 0; sent < count; sent += 1) {
        socket.write(`HTTP/1.1 100 Continue\r\n${header}\r\n`);
      }
      response.end('ok');
    });

  it('skips up to sixteen informational responses, and fails after one more', async () => {
    await expect(interim(16)).resolves.toMatchObject({ status: 200 });
    await expect(interim(17)).rejects.toThrow('TOO_MANY_INTERIM');
  });

  it('skips up to 16 kB of informational responses, and fails after more', async () => {
    await expect(interim(3, `a: ${'x'.repeat(5_000)}\r\n`)).resolves.toMatchObject({ status: 200 });
    await expect(interim(4, `a: ${'x'.repeat(5_000)}\r\n`)).rejects.toThrow('TOO_MANY_INTERIM');
  });

  it('does not take informational responses alone for an answer', async () => {
    const closed = exchangeWith(({ socket }) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'));
    await expect(closed).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('joins the values of a repeated header', async () => {
    const { headers } = await exchangeWith((_request, response) => {
      response.writeHead(200, { 'content-type': ['application/json', 'text/html'] }).end();
    });
    expect(headers['content-type']).toBe('application/json, text/html');
  });

  it('sends each of many requests that wait for one connection', async () => {
    const { port } = await servers.http((_request, response) => response.end('ok'));
    const one = { plain: new Agent({ keepAlive: true, maxSockets: 1 }), secure: agents.secure };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => exchange(one, new URL(`http://127.0.0.1:${port}/`), BOUNDS)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    one.plain.destroy();
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

  it('fails with ECONNRESET when the connection breaks within a response', async () => {
    const broken = exchangeWith((_request, response) => {
      response.writeHead(200, { 'content-length': '8' });
      response.write('0123', () => response.destroy());
    });
    await expect(broken).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('fails with ECONNRESET when the response switches protocols', async () => {
    const switched = exchangeWith((_request, response) => {
      response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end();
    });
    await expect(switched).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('times out while the connection is being made', async () => {
    // This server never answers the TLS handshake.
    const { port } = await servers.silent();
    const url = new URL(`https://127.0.0.1:${port}/`);
    await expect(exchange(agents, url, { ...BOUNDS, timeoutMs: 100 })).rejects.toThrow(
      ExchangeTimeout,
    );
  });

  it('rejects invalid headers', async () => {
    const url = new URL('http://127.0.0.1:9/');
    const headers = { 'x-bad': 'line\r\nbreak' };
    await expect(exchange(agents, url, { ...BOUNDS, headers })).rejects.toMatchObject({
      code: 'ERR_INVALID_CHAR',
    });
  });
});
