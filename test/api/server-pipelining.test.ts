// Decision 24: requests sent ahead on one connection. So many are taken on, each has its own answer or none, and nobody
// else waits for them.
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
  // A connection that nobody cuts stays: a test must not pass because Node lost its timeout.
  const opened = await aServer(handler, {
    ...{ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 },
  });
  ({ server } = opened);
  return opened.port;
}

const get = (path: string | number, more = '') =>
  `GET /${String(path)} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const gets = (count: number) => Array.from({ length: count }, (_, index) => get(index)).join('');

function ask(port: number, agent: Agent | false = false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/other', agent }, resolve).on('error', reject).end();
  });
}

/** Answers with the path, but those first that came last. */
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

describe('a connection that sends requests ahead', () => {
  it('is cut at a thousand of them without an answer, and few of them have been taken on', async () => {
    const reached: string[] = [];
    const port = await serve(({ url = '' }, response) => {
      reached.push(url);
      if (url !== '/0') response.end();
    });
    expect(await sendRaw(port, gets(1_000))).toEqual([]);
    expect(reached).toHaveLength(32);
  });

  it('is cut by the one that is too many, however late it comes', async () => {
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
    socket.on('error', () => undefined).write(get('one too many'.replaceAll(' ', '-')));
    await once(socket, 'close');
    expect(reached).toHaveLength(32);
  });

  it('keeps nobody else waiting', async () => {
    const port = await serve(({ url }, response) => {
      if (url === '/other') response.end();
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(gets(32)));
    const replies = await Promise.all([times(3, () => ask(port)), sendRaw(port, gets(1_000))]);
    expect(replies.flat().map((reply) => ('statusCode' in reply ? reply.statusCode : 0))).toEqual([
      200, 200, 200,
    ]);
    socket.destroy();
  });

  it('has up to 32 answered, each in its turn', async () => {
    const port = await serve(answerBackwards());
    const replies = await sendRaw(port, gets(31) + get(31, 'Connection: close\r\n'));
    expect(replies.map(({ text }) => text)).toEqual(
      Array.from({ length: 32 }, (_, index) => `/${String(index)}`),
    );
  });

  it('may go on when they have been answered', async () => {
    const port = await serve((_, response) => response.end());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const accepted: unknown[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const replies = await times(40, async () => once((await ask(port, agent)).resume(), 'end'));
    expect([replies.length, accepted.length]).toEqual([40, 1]);
    agent.destroy();
  });
});

describe('what comes behind an offer of another protocol', () => {
  const OFFER = get('offer', 'Connection: Upgrade\r\nUpgrade: h2c\r\n');

  it('is not waited for: the answer to the offer is the last', async () => {
    const port = await serve(({ url }, response) => response.end(url));
    const replies = await sendRaw(port, OFFER + get('behind'));
    expect(replies).toMatchObject([{ status: 200, text: '/offer' }]);
    expect(replies[0]?.head).toMatch(/^connection: close$/im);
  });

  it('is not taken up in the middle', async () => {
    const reached: string[] = [];
    const port = await serve(({ url = '' }, response) => {
      reached.push(url);
      setImmediate(() => response.end());
    });
    const half = 'POST /behind HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n';
    expect(await sendRaw(port, OFFER + half, get('inside'))).toMatchObject([{ status: 200 }]);
    expect(reached).toEqual(['/offer']);
  });

  it('is no way to send ahead without an end', async () => {
    const port = await serve(() => undefined);
    const offered = once(server, 'request');
    const socket = connect(port, '127.0.0.1', () => socket.write(OFFER));
    await offered;
    socket.on('error', () => undefined).write(gets(32));
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});

describe('the rest of a body that was refused', () => {
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
    ['that nobody read', () => undefined],
    [
      'that was read a little',
      (incoming: IncomingMessage) => incoming.once('data', () => incoming.pause()),
    ],
  ])('%s is cut when it has no end of short chunks', async (_name, begin) => {
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
