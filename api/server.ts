// The HTTP server around the application: limits, TLS, and our error envelope for requests that
// Node's parser rejects.
import {
  createServer as createHttpServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { toErrorReply, type ErrorEnvelope } from './errors';
import { makeRequestId } from './middleware/request-id';
import { toRejection, type ParserError } from './parser-rejections';
import { DomainError } from '../src/domain/errors';
import { BODY_CHUNKS_MAX, HEADER_MAX_BYTES, PIPELINED_REQUESTS_MAX } from '../src/domain/limits';
import type { Clock, Randomness } from '../src/ports/clock';

interface ServerOptions {
  readonly handler: (request: IncomingMessage, response: ServerResponse) => unknown;
  readonly envelope: ErrorEnvelope;
  readonly randomness: Randomness;
  readonly clock: Clock;
  /** Beyond this many connections the one that has been idle the longest is closed. */
  readonly connectionsMax: number;
  /** PEM texts. Without them the server speaks plain HTTP, behind our proxy (decision 23). */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** How often Node checks for requests that are too slow; Node's default is 30 s. */
const TIMEOUTS_CHECKED_EVERY_MS = 5_000;
/** Longer than the usual 60 s of a load balancer, so that the server never closes first. */
const KEEP_ALIVE_MS = 65_000;
/** A client whose request is rejected here has this long to read the response before the cut. */
const LINGER_MS = 1_000;

/** The state of a connection until it is closed. */
interface Connection {
  /** Responses of requests that have arrived and are not answered yet. */
  readonly unanswered: Set<ServerResponse>;
  last?: ServerResponse;
  /** Set when no request after the last one may reach the application. */
  isEnding?: boolean;
}

type Connections = Map<Duplex, Connection>;

/** Lets an orderly stop send `Connection: close` to every client that waits for an answer. */
const connectionsOf = new WeakMap<Server, Connections>();

export function createApiServer(options: ServerOptions): Server {
  const { handler, envelope, randomness, clock, tls, connectionsMax } = options;
  const connections: Connections = new Map();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (!admitRequest(connections, request, response)) return;
    // Must run before Node's own listener, which discards the rest of the body without a limit.
    response.prependOnceListener('finish', () => {
      discardRest(request);
    });
    if (!server.listening) response.setHeader('Connection', 'close');
    handler(request, response);
  };
  const reject = (socket: Duplex, rejection: DomainError) => {
    const last = connections.get(socket)?.last;
    const isBetweenRequests = last === undefined || (last.writableFinished && last.req.complete);
    if (!isBetweenRequests) endAfter(last);
    else {
      const date = clock.now().toUTCString();
      writeBareAnswer(socket, rejection, { envelope, date, requestId: makeRequestId(randomness) });
    }
  };
  const server = createServer(tls, listener);
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Duplex) => {
    trackConnection(connections, socket);
    if (connections.size <= connectionsMax) return;
    const [idle] = [...connections].find(([, { unanswered }]) => unanswered.size === 0) ?? [];
    if (idle !== socket) idle?.destroy();
  });
  // Where none is idle, more are accepted. Unfinished handshakes count here too.
  server.maxConnections = 2 * connectionsMax;
  // Node would silently drop headers after some thousand, such as the one that a proxy adds.
  server.maxHeadersCount = 0;
  // Node would answer a bare 417 to an Expect header other than 100-continue; we ignore the header.
  server.on('checkExpectation', listener);
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    reject(socket, toRejection(error));
  });
  // Node would cut the connection on CONNECT. It has detached the socket: handle its errors here.
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    reject(socket, new DomainError('not_found'));
  });
  connectionsOf.set(server, connections);
  return server;
}

/**
 * Limits pipelining: Node passes on every request that has arrived, even thousands in one segment.
 * A connection over the limit is cut without a response, which the client would take for that of an
 * earlier request.
 * @returns whether the application may handle the request
 */
function admitRequest(
  connections: Connections,
  { socket, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  // The parser still delivers the requests it has read after the connection was cut.
  if (socket.destroyed) return false;
  const connection = connections.get(socket) ?? trackConnection(connections, socket);
  const { unanswered } = connection;
  if (unanswered.size >= PIPELINED_REQUESTS_MAX) {
    socket.destroy();
    return false;
  }
  unanswered.add(response);
  response.once('close', () => {
    unanswered.delete(response);
    // The map's order is that of their last use.
    if (connections.delete(socket)) connections.set(socket, connection);
  });
  if (connection.isEnding === true) return false;
  connection.last = response;
  // The parser drops bytes that arrive together with an Upgrade header, so the next bytes may begin
  // in the middle of a request.
  if (headers.upgrade !== undefined) {
    connection.isEnding = true;
    response.setHeader('Connection', 'close');
  }
  return true;
}

/** Cleans up when the connection closes: Node does not report responses it can no longer send. */
function trackConnection(connections: Connections, socket: Duplex): Connection {
  const connection: Connection = { unanswered: new Set() };
  connections.set(socket, connection);
  socket.once('close', () => connections.delete(socket));
  return connection;
}

/** Reads the rest of a rejected body, which blocks the next request, but only so many chunks. */
function discardRest(request: IncomingMessage): void {
  let chunks = 0;
  const count = () => {
    chunks += 1;
    if (chunks > BODY_CHUNKS_MAX) request.socket.destroy();
  };
  // Makes Node treat the body as being read by us, so that Node does not discard it itself.
  request.read();
  if (!request.complete) request.on('data', count);
  // The code that rejected the body may have paused it.
  request.resume();
}

function createServer(
  tls: ServerOptions['tls'],
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const limits = {
    maxHeaderSize: HEADER_MAX_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The application rejects a request without Host in our envelope; Node's own response has none.
    requireHostHeader: false,
  };
  if (tls === undefined) return createHttpServer(limits, listener);
  const handshake = {
    ...tls,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HEADERS_TIMEOUT_MS,
  } as const;
  return createHttpsServer({ ...limits, ...handshake }, listener);
}

/**
 * Stops accepting connections, closes idle ones, and answers each request in progress as the last
 * on its connection. After `timeoutMs` it cuts the others.
 */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const { unanswered } of connectionsOf.get(server)?.values() ?? []) {
    for (const response of unanswered) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearTimeout(cut);
}

/**
 * Makes the application's answer the last on its connection. Nothing is written here: the client
 * would take it for that answer or for an earlier one.
 */
function endAfter(last: ServerResponse): void {
  if (last.headersSent) {
    last.req.socket.destroy();
    return;
  }
  last.setHeader('Connection', 'close');
  // The rest of the body cannot be read: abort the application's read, so that it answers 400.
  if (!last.req.complete) last.req.emit('aborted');
}

interface BareAnswer {
  readonly envelope: ErrorEnvelope;
  readonly date: string;
  readonly requestId: string;
}

/** Writes an error response straight to the socket, because there is no request to hand over. */
function writeBareAnswer(
  socket: Duplex,
  rejection: DomainError,
  { envelope, date, requestId }: BareAnswer,
): void {
  // Already answered: further bytes are dropped until the client closes or the connection is cut.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = toErrorReply(rejection, envelope, requestId);
  socket.end(
    [
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
      `X-Request-Id: ${requestId}`,
      `Date: ${date}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(cut);
  });
  socket.resume();
}
