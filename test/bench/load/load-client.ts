// The client of the load process: prepared bytes over keep-alive connections, and the time to each answer. Our own, because
// what a client costs is taken from the server it measures on the same machine (docs/benchmarks.md, "Load").
import { setMaxListeners } from 'node:events';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';

export interface Block {
  readonly port: number;
  /** Connections, each with one request under way. */
  readonly inFlight: number;
  /** Whole HTTP/1.1 requests. Each is sent once, in order, by whichever connection is free. */
  readonly requests: readonly Uint8Array[];
  /** Requests a second, evenly (open loop); without it each connection sends as soon as it may (closed loop). */
  readonly perSecond?: number;
  /** What the body of every answer holds. */
  readonly holding?: string;
  /** So many are sent and answered before the others, and are not counted: they meet new connections, and caches gone cold. */
  readonly uncounted?: number;
}

export interface BlockResult {
  /** From the first byte that counts to the last answer. */
  readonly elapsedMs: number;
  /**
   * By the order of the requests that count. In an open loop from the instant at which each was to be sent, so that what
   * waits behind a slow answer counts as slow too.
   */
  readonly latenciesUs: Float64Array;
  /** Every status that was answered. */
  readonly statuses: readonly string[];
  /** The body of the last answer. */
  readonly body: string;
  /** The first body that did not hold what it was to. */
  readonly unlike: string | undefined;
}

const BLOCK_TIMEOUT_MS = 60_000;
const TURNED_MS = 1.5;
const STATUS_AT = 'HTTP/1.1 '.length;
const END_OF_HEADERS = '\r\n\r\n';

/** @throws Error when a connection breaks or it all takes longer than a minute */
export async function runBlock(block: Block): Promise<BlockResult> {
  const { port, inFlight, requests, uncounted = 0 } = block;
  const sockets = await Promise.all(Array.from({ length: inFlight }, () => connected(port)));
  const timeout = setTimeout(() => {
    for (const socket of sockets) socket.destroy(new Error('the block took more than a minute'));
  }, BLOCK_TIMEOUT_MS);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const said: Said = { statuses: new Set(), body: '', unlike: undefined };
  const send = async (some: Block['requests']) => {
    const startedAt = performance.now();
    const latenciesUs = new Float64Array(some.length);
    const { signal } = ending;
    const run = { ...block, requests: some, startedAt, latenciesUs, signal, said, next: 0 };
    await Promise.all(sockets.map((socket) => sendAll(socket, run)));
    return { latenciesUs, elapsedMs: performance.now() - startedAt };
  };
  try {
    await send(requests.slice(0, uncounted));
    const counted = await send(requests.slice(uncounted));
    return { ...counted, ...said, statuses: [...said.statuses] };
  } finally {
    ending.abort();
    clearTimeout(timeout);
    for (const socket of sockets) socket.destroy();
  }
}

/** What all connections of a block were answered. */
interface Said {
  readonly statuses: Set<string>;
  body: string;
  unlike: string | undefined;
}

interface Run extends Block {
  readonly startedAt: number;
  readonly latenciesUs: Float64Array;
  /** Aborted when nothing is to be sent any more. */
  readonly signal: AbortSignal;
  readonly said: Said;
  next: number;
}

/** One connection's share: the next request as soon as the last is answered, or when it is due. */
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
      note(run, received.slice(STATUS_AT, STATUS_AT + 3), received.slice(bodyAt));
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

/** A timer is late by up to a millisecond, which some answers take: the last of it is spent turning. */
async function untilDue(instant: number, signal: AbortSignal): Promise<void> {
  const waitMs = instant - performance.now() - TURNED_MS;
  if (waitMs > 0) await pause(waitMs, undefined, { signal });
  while (performance.now() < instant) await turn(undefined, { signal });
}

function note({ said, holding = '' }: Run, status: string, body: string): void {
  said.statuses.add(status);
  said.body = body;
  if (!body.includes(holding)) said.unlike ??= `${status} ${body}`;
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
      // Whoever sends next hears of it by the close.
      socket.removeListener('error', reject).on('error', () => undefined);
      resolve(socket);
    });
  });
}
