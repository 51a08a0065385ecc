// The ceilings of the public server (decision 24): of connections, which closes idle ones, and of
// requests in progress, which answers 503. Health answers beyond both.
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { until } from '../../src/dev/until';
import { pathOf, startApp, type TestApp } from '../support/app';
import { CERTIFICATE, certificateAndKey } from '../support/http/certificate';
import { aServer } from '../support/servers/bare-server';
import { withDatabase, withPartner } from '../support/brackets';
import { anIntent } from '../support/builders';

const WAIT = { timeoutMs: 10_000 };

describe('with a ceiling of one request in progress', () => {
  const bed = withDatabase();
  const partner = withPartner(bed);
  let app: TestApp;
  let release: () => void;
  let isHeld = false;
  const get = async () => app.sendSigned(partner, { path: pathOf(await anIntent(bed, partner)) });

  beforeAll(async () => {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    app = await startApp(bed, {
      settings: { requestsMax: 1 },
      aroundIntents: (intents) => ({
        ...intents,
        async findSigned(...given) {
          // Only the first waits, so that a second one that is served has an answer too.
          if (isHeld) return intents.findSigned(...given);
          isHeld = true;
          await released;
          return intents.findSigned(...given);
        },
      }),
    });
  });
  afterAll(() => {
    release();
    return app.close();
  });

  it('another one is 503 in the envelope with Retry-After until the first has its answer', async () => {
    const first = get();
    await until(() => isHeld, WAIT);
    const rejected = await get();
    expect(rejected).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'x-request-id': expect.stringMatching(/^req_/) as string },
    });
    expect(JSON.parse(rejected.text)).toEqual({
      error: 'internal_error',
      message: expect.stringContaining('Retry after') as string,
    });
    for (const path of ['/healthz', '/readyz']) {
      expect(await app.send({ path })).toMatchObject({ status: 200 });
    }
    release();
    expect(await first).toMatchObject({ status: 200 });
    expect(await get()).toMatchObject({ status: 200 });
  });
});

describe.each(['http', 'https'])('with a ceiling of two connections over %s', (protocol) => {
  let server: Server;
  let port: number;
  let sockets: Socket[];
  let held: (() => void)[];

  beforeEach(async () => {
    [sockets, held] = [[], []];
    const answer = ({ url }: IncomingMessage, end: (text: string) => void) => {
      if (url === '/held') held.push(() => end('held'));
      else end('hello');
    };
    ({ server, port } = await aServer(
      (request, response) => answer(request, (text) => response.end(text)),
      {
        connectionsMax: 2,
        ...(protocol === 'https' && { tls: certificateAndKey() }),
      },
    ));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  async function open(): Promise<Socket> {
    const socket =
      protocol === 'https'
        ? connectTls({ host: '127.0.0.1', port, ca: CERTIFICATE })
        : connect(port, '127.0.0.1');
    sockets.push(socket.on('error', () => undefined));
    await once(socket, protocol === 'https' ? 'secureConnect' : 'connect');
    return socket;
  }

  const send = (socket: Socket, path: string) =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);

  /** What the server sends first. @throws Error if it closes the connection instead */
  async function received(socket: Socket): Promise<string> {
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('closed')));
    const [answer] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer];
    return answer.toString();
  }

  async function answered(socket: Socket, path = '/'): Promise<void> {
    send(socket, path);
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 /);
  }

  it('the one that has been idle the longest is closed for a third', async () => {
    const [older, newer] = [await open(), await open()];
    await answered(newer);
    await answered(older);
    const third = await open();
    expect(await until(() => newer.destroyed, WAIT)).toBe(true);
    await answered(third);
    await answered(older);
  });

  it('one that has sent nothing counts as idle', async () => {
    const silent = await open();
    for (const socket of [await open(), await open()]) await answered(socket);
    expect(await until(() => silent.destroyed, WAIT)).toBe(true);
  });

  it('none is closed while both have a request in progress, and a third is served', async () => {
    const both = [await open(), await open()];
    for (const socket of both) send(socket, '/held');
    await until(() => held.length === 2, WAIT);
    const third = await open();
    await answered(third, '/healthz');
    const answers = both.map(received);
    for (const release of held) release();
    await expect(Promise.all(answers)).resolves.toHaveLength(2);
    expect(both.map((socket) => socket.destroyed)).toEqual([false, false]);
  });
});
