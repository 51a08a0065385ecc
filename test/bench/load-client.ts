// The client of the load process: prepared bytes over keep-alive connections, and the time to each answer. Our own, because
// what a client costs is taken from the server it measures on the same machine (docs/benchmarks.md, "Load").
import { connect, type Socket } from 'node:net';

export interface Block {
  readonly port: number;
  /** Connections, each with one request under way. */
  readonly inFlight: number;
  /** Whole HTTP/1.1 requests. Each is sent once, in order, by whichever connection is free. */
  readonly requests: readonly Uint8Array[];
}

export interface BlockResult {
  /** From the first byte sent to the last answer. */
  readonly elapsedMs: number;
  /** By the requests' order. */
  readonly latenciesUs: Float64Array;
  /** Every status that was answered. */
  readonly statuses: readonly string[];
  /** The body of the last answer. */
  readonly body: string;
}

const BLOCK_TIMEOUT_MS = 60_000;
const STATUS_AT = 'HTTP/1.1 '.length;
const END_OF_HEADERS = '\r\n\r\n';

/** @throws Error when a connection breaks or it all takes longer than a minute */
export async function runBlock({ port, inFlight, requests }: Block): Promise<BlockResult> {
  const sockets = await Promise.all(Array.from({ length: inFlight }, () => connected(port)));
  const timeout = setTimeout(() => {
    for (const socket of sockets) socket.destroy(new Error('the block took more than a minute'));
  }, BLOCK_TIMEOUT_MS);
  const run = { requests, next: 0, latenciesUs: new Float64Array(requests.length) };
  try {
    const startedAt = performance.now();
    const answers = await Promise.all(sockets.map((socket) => sendAll(socket, run)));
    const elapsedMs = performance.now() - startedAt;
    const statuses = new Set(answers.flatMap((answer) => [...answer.statuses]));
    const { latenciesUs } = run;
    return { elapsedMs, latenciesUs, statuses: [...statuses], body: answers[0]?.body ?? '' };
  } finally {
    clearTimeout(timeout);
    for (const socket of sockets) socket.destroy();
  }
}

interface Run {
  readonly requests: readonly Uint8Array[];
  next: number;
  readonly latenciesUs: Float64Array;
}

interface Answers {
  readonly statuses: ReadonlySet<string>;
  readonly body: string;
}

/** One connection's share: the next request as soon as the last is answered. */
function sendAll(socket: Socket, run: Run): Promise<Answers> {
  return new Promise((resolve, reject) => {
    const statuses = new Set<string>();
    let body = '';
    let received = '';
    let index = 0;
    let sentAt = 0;
    const sendNext = () => {
      index = run.next;
      const request = run.requests[index];
      if (request === undefined) {
        resolve({ statuses, body });
        return;
      }
      run.next += 1;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const bodyAt = bodyOf(received);
      if (bodyAt === undefined) return;
      run.latenciesUs[index] = (performance.now() - sentAt) * 1_000;
      statuses.add(received.slice(STATUS_AT, STATUS_AT + 3));
      body = received.slice(bodyAt);
      received = '';
      sendNext();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      reject(new Error('the server closed a connection'));
    });
    sendNext();
  });
}

/** Where the body begins once all of it is there. Answers of both sides tell their length. */
function bodyOf(received: string): number | undefined {
  const headersEnd = received.indexOf(END_OF_HEADERS);
  if (headersEnd < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  const bodyAt = headersEnd + END_OF_HEADERS.length;
  return received.length >= bodyAt + Number(length) ? bodyAt : undefined;
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}
