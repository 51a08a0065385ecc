// The client of the load process: sends prepared bytes over keep-alive connections and measures the
// time to each answer. It is our own, because a costly client takes CPU from the measured server on
// the same machine (docs/benchmarks.md, "Method").
import { setMaxListeners } from 'node:events';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';

export interface Block {
  readonly port: number;
  /** The number of connections. Each has one open request. */
  readonly inFlight: number;
  /** Whole HTTP/1.1 requests. Each is sent once, in order, by the next free connection. */
  readonly requests: readonly Uint8Array[];
  /**
   * Requests a second, evenly (open loop). Without it each connection sends as soon as it has its
   * answer (closed loop).
   */
  readonly perSecond?: number;
  /** A text that the body of every answer must contain. */
  readonly contains?: string;
  /**
   * The number of first requests that are not counted, because they meet new connections and cold
   * caches. They are answered before the others are sent.
   */
  readonly uncounted?: number;
}

export interface BlockResult {
  /** From the first byte of a counted request to the last answer. */
  readonly elapsedMs: number;
  /**
   * In the order of the counted requests. In an open loop, each time starts when its request is
   * due, so that a request behind a slow answer counts as slow too.
   */
  readonly latenciesUs: Float64Array;
  /** The distinct statuses of all answers. */
  readonly statuses: readonly string[];
  /** The body of the last answer. */
  readonly body: string;
  /** Status and body of the first answer without the expected text. */
  readonly unexpected: string | undefined;
}

const BLOCK_TIMEOUT_MS = 60_000;
const SPIN_MS = 1.5;
const STATUS_AT = 'HTTP/1.1 '.length;
const END_OF_HEADERS = '\r\n\r\n';

/** @throws Error when a connection breaks or the block takes longer than a minute */
export async function runBlock(block: Block): Promise<BlockResult> {
  const { port, inFlight, requests, uncounted = 0 } = block;
  const sockets = await Promise.all(Array.from({ length: inFlight }, () => connected(port)));
  const timeout = setTimeout(() => {
    for (const socket of sockets) socket.destroy(new Error('the block took more than a minute'));
  }, BLOCK_TIMEOUT_MS);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const answers: Answers = { statuses: new Set(), body: '', unexpected: undefined };
  const send = async (some: Block['requests']) => {
    const startedAt = performance.now();
    const latenciesUs = new Float64Array(some.length);
    const { signal } = ending;
    const run = { ...block, requests: some, startedAt, latenciesUs, signal, answers, next: 0 };
    await Promise.all(sockets.map((socket) => sendAll(socket, run)));
    return { latenciesUs, elapsedMs: performance.now() - startedAt };
  };
  try {
    await send(requests.slice(0, uncounted));
    const counted = await send(requests.slice(uncounted));
    return { ...counted, ...answers, statuses: [...answers.statuses] };
  } finally {
    ending.abort();
    clearTimeout(timeout);
    for (const socket of sockets) socket.destroy();
  }
}

/** The answers that all connections of a block have received. */
interface Answers {
  readonly statuses: Set<string>;
  body: string;
  unexpected: string | undefined;
}

interface Run extends Block {
  readonly startedAt: number;
  readonly latenciesUs: Float64Array;
  /** Aborted when no further request is sent. */
  readonly signal: AbortSignal;
  readonly answers: Answers;
  next: number;
}

/**
 * Sends the requests of one connection: the next one once the last is answered, or when it is due.
 */
function sendAll(socket: Socket, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let index = 0;
    let sentAt = 0;
    const sendNext = () => {
      index = run.next;
      const request = run.requests[index];
      if (request === undefined) {
        socket.removeListener('data', onData).removeListener('error', reject);
        socket.removeListener('close', onClose);
        resolve();
        return;
      }
      run.next += 1;
      sentAt = dueAt(run, index);
      if (run.perSecond === undefined) socket.write(request);
      else untilDue(sentAt, run.signal).then(() => socket.write(request), reject);
    };
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const bodyAt = bodyOf(received);
      if (bodyAt === undefined) return;
      run.latenciesUs[index] = (performance.now() - sentAt) * 1_000;
      recordAnswer(run, received.slice(STATUS_AT, STATUS_AT + 3), received.slice(bodyAt));
      received = '';
      sendNext();
    };
    const onClose = () => {
      reject(new Error('the server closed a connection'));
    };
    socket.on('data', onData).on('error', reject).on('close', onClose);
    if (socket.destroyed) onClose();
    else sendNext();
  });
}

function dueAt({ perSecond, startedAt }: Run, index: number): number {
  if (perSecond === undefined) return performance.now();
  return startedAt + (index * 1_000) / perSecond;
}

/**
 * A timer is late by up to a millisecond, as long as some answers take. The last part of the wait
 * therefore spins on the event loop.
 */
async function untilDue(instant: number, signal: AbortSignal): Promise<void> {
  const waitMs = instant - performance.now() - SPIN_MS;
  if (waitMs > 0) await pause(waitMs, undefined, { signal });
  while (performance.now() < instant) await turn(undefined, { signal });
}

function recordAnswer({ answers, contains = '' }: Run, status: string, body: string): void {
  answers.statuses.add(status);
  answers.body = body;
  if (!body.includes(contains)) answers.unexpected ??= `${status} ${body}`;
}

/** @returns the start of the body once it is complete. Both sides answer with Content-Length. */
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
      // A later error closes the socket, and the next sender fails on that close.
      socket.removeListener('error', reject).on('error', () => undefined);
      resolve(socket);
    });
  });
}
