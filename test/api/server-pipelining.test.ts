// Decision 24: pipelined requests on one connection. Their number is limited, each gets its own
// answer or none, and other clients do not wait for them.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { aServer, type Handler } from '../support/servers/bare-server';
import { times } from '../support/builders';
import { sendRaw } from '../support/http/raw-http';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(handler: Handler): Promise<number> {
  // Without timeouts a test cannot pass because Node has cut the connection.
  const opened = await aServer(handler, {
    ...{ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 },
  });
  ({ server } = opened);
  return opened.port;
}

const get = (path: string | number, more = '') =>
  `GET /${String(path)} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const gets = (count: number) => Array.from({ length: count }, (_, index) => get(index)).join('');

function getOther(port: number, agent: Agent | false = false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/other', agent }, resolve).on('error', reject).end();
  });
}

/** Answers each request with its path, the last request first. */
function answerBackwards(): Handler {
  const waiting: (() => void)[] = [];
  return ({ url }, response) => {
    if (waiting.length === 0) {
      setImmediate(() => {
        waiting
          .splice(0)
          .reverse()
          .forEach((answer) => answer());
      });
    }
    waiting.push(() => response.end(url));
  };
}

describe('a connection with pipelined requests', () => {
  it('is cut without an answer at a thousand of them, of which 32 are handled', async () => {
    const reached: string[] = [];
    const port = await serve(({ url = '' }, response) => {
      reached.push(url);
      if (url !== '/0') response.end();
    });
    expect(await sendRaw(port, gets(1_000))).toEqual([]);
    expect(reached).toHaveLength(32);
  });

  it('is cut by a request over the limit that comes later', async () => {
    const reached: string[] = [];
    let isFull: () => void = () => undefined;
    const full = new Promise<void>((resolve) => {
      isFull = resolve;
    });
    const port = await serve(({ url = '' }) => {
      if (reached.push(url) === 32) isFull();
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(gets(32)));
    await full;
    socket.on('error', () => undefined).write(get('one-too-many'));
    await once(socket, 'close');
    expect(reached).toHaveLength(32);
  });

  it('delays no other client', async () => {
    const port = await serve(({ url }, response) => {
      if (url === '/other') response.end();
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(gets(32)));
    const replies = await Promise.all([times(3, () => getOther(port)), sendRaw(port, gets(1_000))]);
    expect(replies.flat().map((reply) => ('statusCode' in reply ? reply.statusCode : 0))).toEqual([
      200, 200, 200,
    ]);
    socket.destroy();
  });

  it('gets up to 32 answers in order', async () => {
    const port = await serve(answerBackwards());
    const replies = await sendRaw(port, gets(31) + get(31, 'Connection: close\r\n'));
    expect(replies.map(({ text }) => text)).toEqual(
      Array.from({ length: 32 }, (_, index) => `/${String(index)}`),
    );
  });

  it('may send more when the first are answered', async () => {
    const port = await serve((_, response) => response.end());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const accepted: unknown[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const replies = await times(40, async () =>
      once((await getOther(port, agent)).resume(), 'end'),
    );
    expect([replies.length, accepted.length]).toEqual([40, 1]);
    agent.destroy();
  });
});

describe('a request after an Upgrade header', () => {
  const UPGRADE = get('upgrade', 'Connection: Upgrade\r\nUpgrade: h2c\r\n');

  it('is dropped: the answer to the first request is the last', async () => {
    const port = await serve(({ url }, response) => response.end(url));
    const replies = await sendRaw(port, UPGRADE + get('behind'));
    expect(replies).toMatchObject([{ status: 200, text: '/upgrade' }]);
    expect(replies[0]?.head).toMatch(/^connection: close$/im);
  });

  it('is not parsed from its middle', async () => {
    const reached: string[] = [];
    const port = await serve(({ url = '' }, response) => {
      reached.push(url);
      setImmediate(() => response.end());
    });
    const half = 'POST /behind HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n';
    expect(await sendRaw(port, UPGRADE + half, get('inside'))).toMatchObject([{ status: 200 }]);
    expect(reached).toEqual(['/upgrade']);
  });

  it('counts against the limit of pipelined requests', async () => {
    const port = await serve(() => undefined);
    const arrived = once(server, 'request');
    const socket = connect(port, '127.0.0.1', () => socket.write(UPGRADE));
    await arrived;
    socket.on('error', () => undefined).write(gets(32));
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});

describe('the rest of a rejected body', () => {
  const POST = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n';

  it('is read, and the next request is answered', async () => {
    const port = await serve((_, response) => response.end());
    const rest = `ffff\r\n${'x'.repeat(65_535)}\r\n`.repeat(20);
    const replies = await sendRaw(
      port,
      `${POST}${rest}0\r\n\r\n${get('next', 'Connection: close\r\n')}`,
    );
    expect(replies).toHaveLength(2);
  });

  it.each([
    ['that was not read', () => undefined],
    [
      'that was read partly',
      (incoming: IncomingMessage) => incoming.once('data', () => incoming.pause()),
    ],
  ])('%s is cut after too many short chunks', async (_name, begin) => {
    const port = await serve((incoming, response) => {
      begin(incoming);
      setImmediate(() => response.end());
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(POST));
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.resume().write('1\r\nx\r\n'.repeat(3_000));
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});
