// The HTTP server around the application: its bounds, TLS, and the envelope for requests that Node refuses by itself.
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
  /** PEM texts; without them the server speaks plain HTTP, behind a proxy of ours or in the sandbox (decision 23). */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** How often Node looks for requests that are too slow; by itself it would every 30 s. */
const TIMEOUTS_CHECKED_EVERY_MS = 5_000;
/** Longer than the usual 60 s of a load balancer, so that it is never the server that closes first. */
const KEEP_ALIVE_MS = 65_000;
/** A refused client has this long to read why before its connection is cut, whatever it still sends. */
const LINGER_MS = 1_000;

/** What is known of a connection until it is closed. */
interface Connection {
  /** Come and not answered yet. */
  readonly unanswered: Set<ServerResponse>;
  last?: ServerResponse;
  /** Nothing that comes behind the last request is handed on. */
  isEnding?: boolean;
}

type Connections = Map<Duplex, Connection>;

/** So that an orderly stop can tell those clients who wait for an answer that it is their last. */
const connectionsOf = new WeakMap<Server, Connections>();

export function createApiServer(options: ServerOptions): Server {
  const { handler, envelope, randomness, clock, tls } = options;
  const connections: Connections = new Map();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (!takeOn(connections, request, response)) return;
    // Before Node's own listener, which would drop the rest of the body uncounted.
    response.prependOnceListener('finish', () => {
      dropRest(request);
    });
    if (!server.listening) response.setHeader('Connection', 'close');
    handler(request, response);
  };
  const refuse = (socket: Duplex, rejection: DomainError) => {
    const last = connections.get(socket)?.last;
    const isBetweenRequests = last === undefined || (last.writableFinished && last.req.complete);
    if (!isBetweenRequests) endAfter(last);
    else {
      const date = clock.now().toUTCString();
      answerBare(socket, rejection, { envelope, date, requestId: makeRequestId(randomness) });
    }
  };
  const server = createServer(tls, listener);
  // Without this Node drops what comes after some thousand headers unseen: a repeated one, or the one a proxy adds.
  server.maxHeadersCount = 0;
  // Without this Node answers an expectation other than 100-continue by a bare 417; it may as well be ignored.
  server.on('checkExpectation', listener);
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    refuse(socket, toRejection(error));
  });
  // Without this Node cuts the connection. It has let go of the socket, whose errors nobody else would hear.
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, new DomainError('not_found'));
  });
  connectionsOf.set(server, connections);
  return server;
}

/**
 * Node hands on everything that has arrived, answered or not: thousands of requests in one segment. A connection that is
 * cut gets no answer here, since it would be taken for that of an earlier request.
 */
function takeOn(
  connections: Connections,
  { socket, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  // The requests behind the one that was too many still come from the parser, which reads its bytes to their end.
  if (socket.destroyed) return false;
  const connection = connections.get(socket) ?? open(connections, socket);
  const { unanswered } = connection;
  if (unanswered.size >= PIPELINED_REQUESTS_MAX) {
    socket.destroy();
    return false;
  }
  unanswered.add(response);
  response.once('close', () => unanswered.delete(response));
  if (connection.isEnding === true) return false;
  connection.last = response;
  // The parser has dropped whatever arrived together with an offer of another protocol, so what comes next may begin
  // in the middle of a request.
  if (headers.upgrade !== undefined) {
    connection.isEnding = true;
    response.setHeader('Connection', 'close');
  }
  return true;
}

/** Node tells nobody that answers which wait behind another one will never be sent: the end of the connection does. */
function open(connections: Connections, socket: Duplex): Connection {
  const connection: Connection = { unanswered: new Set() };
  connections.set(socket, connection);
  socket.once('close', () => connections.delete(socket));
  return connection;
}

/** A body that was refused half-way is read to its end, or the next request would wait behind it; but not for ever. */
function dropRest(request: IncomingMessage): void {
  let chunks = 0;
  const count = () => {
    chunks += 1;
    if (chunks > BODY_CHUNKS_MAX) request.socket.destroy();
  };
  // By this Node takes the body for one that is being read, and leaves it to us.
  request.read();
  if (!request.complete) request.on('data', count);
  // Whoever refused it may have paused it.
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
    // Node's own rejection of a request without Host would be bare: the application answers it in the envelope.
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

/** Takes no new connection, answers every request under way as the last on its connection, and closes what is idle. */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
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
 * Lets the application's answer be the last on its connection: one from here would be taken for it, or for that of an
 * earlier request.
 */
function endAfter(last: ServerResponse): void {
  if (last.headersSent) {
    last.req.socket.destroy();
    return;
  }
  last.setHeader('Connection', 'close');
  // The rest of this body cannot be read: whoever waits for it is told so, and answers 400.
  if (!last.req.complete) last.req.emit('aborted');
}

interface BareAnswer {
  readonly envelope: ErrorEnvelope;
  readonly date: string;
  readonly requestId: string;
}

/** Answers without a request that anybody could handle. */
function answerBare(
  socket: Duplex,
  rejection: DomainError,
  { envelope, date, requestId }: BareAnswer,
): void {
  // Has been refused: what else it sends is dropped until it reads that, or until it is cut.
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
