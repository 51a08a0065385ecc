// The HTTP server around the application: its bounds, TLS, and the envelope for requests that Node refuses by itself.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { toErrorReply, type ErrorEnvelope } from './errors';
import { makeRequestId } from './middleware/request-id';
import { DomainError } from '../src/domain/errors';
import { HEADER_MAX_BYTES } from '../src/domain/limits';
import type { Randomness } from '../src/ports/clock';

interface ServerOptions {
  readonly handler: (request: IncomingMessage, response: ServerResponse) => unknown;
  readonly envelope: ErrorEnvelope;
  readonly randomness: Randomness;
  /** PEM texts; without them the server speaks plain HTTP, behind a proxy of ours or in the sandbox (decision 23). */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** Longer than the usual 60 s of a load balancer, so that it is never the server that closes first. */
const KEEP_ALIVE_MS = 65_000;

/** What each server still owes an answer, so that an orderly stop can tell those clients that it is their last. */
const unansweredOf = new WeakMap<Server, Set<ServerResponse>>();

export function createApiServer({ handler, envelope, randomness, tls }: ServerOptions): Server {
  const limits = {
    maxHeaderSize: HEADER_MAX_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own refusal of a request without Host would be bare: the application answers it in the envelope.
    requireHostHeader: false,
  };
  const unanswered = new Set<ServerResponse>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    if (!server.listening) response.setHeader('Connection', 'close');
    handler(request, response);
  };
  const server: Server =
    tls === undefined
      ? createHttpServer(limits, listener)
      : createHttpsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, listener);
  // Without this Node answers an expectation other than 100-continue by a bare 417; it may as well be ignored.
  server.on('checkExpectation', listener);
  server.on('clientError', (_error: Error, socket: Duplex) => {
    // An answer here would be taken for that of an earlier request on the same connection.
    const isOwing = [...unanswered].some((response) => response.req.socket === socket);
    if (isOwing) socket.destroy();
    else refuseMalformed(socket, envelope, makeRequestId(randomness));
  });
  unansweredOf.set(server, unanswered);
  return server;
}

/** Takes no new connection, answers every request under way as the last on its connection, and closes what is idle. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  for (const response of unansweredOf.get(server) ?? []) {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  }
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, patienceMs);
  await closed;
  clearTimeout(cut);
}

/** A bare 400 or 431 of Node's would not be in the envelope (decision 24). */
function refuseMalformed(socket: Duplex, envelope: ErrorEnvelope, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const detail = 'The request is not HTTP, or its headers are too large.';
  const { body } = toErrorReply(
    new DomainError('validation_failed', { detail }),
    envelope,
    requestId,
  );
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
