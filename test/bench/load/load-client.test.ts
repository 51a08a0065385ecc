// The load client against a server of plain sockets: faults that would make figures wrong without
// being visible in them.
import { createServer, type Socket } from 'node:net';
import { listen } from '../../../src/main/listen';
import { runBlock, type Block } from './load-client';

const ANSWER = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\ninvalid';

/**
 * Sends requests to a server that answers by `answer`.
 * @returns also the requests in order of arrival
 */
async function run(
  count: number,
  block: Partial<Block>,
  answer = (socket: Socket) => void socket.write(ANSWER),
) {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        received.push(chunk.toString());
        answer(socket);
      });
  });
  const port = await listen(server, 0, '127.0.0.1');
  const requests = Array.from({ length: count }, (_, nth) => Buffer.from(String(nth)));
  try {
    return { received, ...(await runBlock({ port, inFlight: 1, requests, ...block })) };
  } finally {
    server.close();
  }
}

it('sends each request once, the uncounted ones first', async () => {
  const { received, latenciesUs } = await run(10, { inFlight: 2, uncounted: 4 });
  expect(received.slice(0, 4).toSorted()).toEqual(['0', '1', '2', '3']);
  expect(new Set(received).size).toBe(10);
  expect(latenciesUs).toHaveLength(6);
});

it('measures from when a request was due, so that a request behind a slow answer is slow too', async () => {
  // All requests are due at once and are sent one after the other.
  const { latenciesUs } = await run(10, { perSecond: 1e9 });
  expect([...latenciesUs]).toEqual([...latenciesUs].toSorted((one, other) => one - other));
});

it('returns the first answer without the expected text, also of an uncounted request', async () => {
  expect((await run(3, { contains: 'invalid' })).unexpected).toBeUndefined();
  expect((await run(3, { contains: 'created', uncounted: 2 })).unexpected).toBe('401 invalid');
});

it.each([
  ['before its answer', (socket: Socket) => void socket.destroy(), 0],
  ['after an uncounted answer', (socket: Socket) => void socket.end(ANSWER), 1],
])('fails when the server closes a connection %s', async (_when, answer, uncounted) => {
  await expect(run(2, { uncounted }, answer)).rejects.toThrow(/closed|ended|ECONNRESET|EPIPE/);
});
