// The load client against servers of plain sockets: what it sends, what it takes for an answer, and when it gives up.
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { runBlock, type Block } from './load-client';

const ANSWER = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\nrefused';
const requests = (count: number) => Array.from({ length: count }, (_, n) => Buffer.from(`${n}\n`));

describe('runBlock', () => {
  let server: Server;
  let received: string[];
  let answer: (socket: Socket) => void;

  beforeEach(async () => {
    received = [];
    answer = (socket) => socket.write(ANSWER);
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received.push(chunk.toString());
        answer(socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.close();
  });

  const run = (count: number, inFlight: number, more: Partial<Block> = {}) =>
    runBlock({
      port: (server.address() as AddressInfo).port,
      inFlight,
      requests: requests(count),
      ...more,
    });

  it('sends each request once, in order, on one connection', async () => {
    await run(20, 1);
    expect(received).toEqual(requests(20).map(String));
  });

  it('shares the requests out among its connections', async () => {
    await run(50, 8);
    expect(received.toSorted()).toEqual(requests(50).map(String).toSorted());
  });

  it('reports a time for each, the statuses and the body', async () => {
    const { latenciesUs, statuses, body } = await run(10, 2);
    expect([...latenciesUs].every((us) => us > 0)).toBe(true);
    expect(latenciesUs).toHaveLength(10);
    expect({ statuses, body }).toEqual({ statuses: ['401'], body: 'refused' });
  });

  it('waits for the whole of an answer that comes in parts', async () => {
    answer = (socket) => {
      socket.write(ANSWER.slice(0, 30));
      setImmediate(() => socket.write(ANSWER.slice(30)));
    };
    expect((await run(3, 1)).body).toBe('refused');
  });

  it('counts from when a request was due, so that whatever waits behind an answer is slow too', async () => {
    // All are due at once and go out one after the other.
    const { latenciesUs } = await run(10, 1, { perSecond: 1e9 });
    expect([...latenciesUs]).toEqual([...latenciesUs].toSorted((one, other) => one - other));
  });

  it('sends what does not count before the rest, and waits for its answers', async () => {
    const answered: string[] = [];
    answer = (socket) => {
      const request = received.at(-1) ?? '';
      setImmediate(() => {
        answered.push(`${request.trim()} of ${received.length}`);
        socket.write(ANSWER);
      });
    };
    const { latenciesUs } = await run(10, 2, { uncounted: 4 });
    expect(latenciesUs).toHaveLength(6);
    expect(answered[3]).toMatch(/ of 4$/);
    expect(received.slice(0, 4).toSorted()).toEqual(requests(4).map(String));
  });

  it('fails when the server closes a connection between what does not count and the rest', async () => {
    answer = (socket) => socket.end(ANSWER);
    await expect(run(4, 2, { uncounted: 2 })).rejects.toThrow(/closed|ended|ECONNRESET|EPIPE/);
  });

  it('names the first answer that does not hold what it was to', async () => {
    answer = (socket) => socket.write(ANSWER.replace('refused', 'other 1'));
    expect((await run(3, 1, { holding: 'refused' })).unlike).toBe('401 other 1');
    expect((await run(3, 1, { holding: 'refused', uncounted: 2 })).unlike).toBe('401 other 1');
    answer = (socket) => socket.write(ANSWER);
    expect((await run(3, 1, { holding: 'refused' })).unlike).toBeUndefined();
  });

  it('fails when the server closes a connection', async () => {
    answer = (socket) => socket.destroy();
    await expect(run(3, 1)).rejects.toThrow(/closed|ECONNRESET/);
  });
});
