// The HTTP base of both sandbox servers: bounded requests, JSON answers, the page of the contract,
// an orderly stop.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../ports/observe';
import { answerReference } from './reference-page';
import type { Schedule } from './schedule';

const CONNECTIONS_MAX = 4_096;
const REQUEST_TIMEOUT_MS = 10_000;

/** Requests that are still unanswered this long after the stop began are cut off. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface SandboxServer {
  /** @returns the port, which is the given one unless that was 0 */
  listen(port: number, host: string): Promise<number>;
  /** Accepts no more requests, answers those under way, then closes its files. */
  close(): Promise<void>;
}

export interface HttpDeps {
  readonly schedule: Schedule;
  readonly log: Log;
}

/** Answers one request. An error becomes a 500, or the status of an {@link HttpRejection}. */
type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A request is rejected with this status. */
export class HttpRejection extends Error {
  override readonly name = 'HttpRejection';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function createSandboxServer(handle: Handle, deps: HttpDeps): SandboxServer {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (pathOf(request) === '/healthz') {
      answerJson(response, 200, { status: 'ok' });
      return;
    }
    // An idle keep-alive connection would delay the stop until it times out.
    response.once('close', () => {
      if (!server.listening) server.closeIdleConnections();
    });
    const answered = answerReference(request, response, pathOf(request));
    (answered ?? handle(request, response)).catch((cause: unknown) => {
      answerFailure(response, cause, deps.log);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  return {
    listen: (port, host) => listen(server, port, host),
    close: () => close(server, deps.schedule),
  };
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function close(server: Server, schedule: Schedule): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const cancel = schedule(CLOSE_TIMEOUT_MS, () => {
    server.closeAllConnections();
  });
  await closed;
  cancel();
}

function answerFailure(response: ServerResponse, cause: unknown, log: Log): void {
  const rejection =
    cause instanceof HttpRejection ? cause : new HttpRejection(500, 'The sandbox failed.');
  if (rejection !== cause) log.error({ err: cause }, 'a sandbox request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The unread rest of this request would be parsed as the next one.
  if (!response.req.complete) response.setHeader('connection', 'close');
  answerJson(response, rejection.status, { error: rejection.message });
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  response.end(bytes);
}

/** Answers with a JSON array of these lines, without holding all of them in memory. */
export async function answerJsonArray(
  response: ServerResponse,
  lines: AsyncIterable<string>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  await pipeline(Readable.from(arrayText(lines)), response);
}

async function* arrayText(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '[';
  for await (const line of lines) {
    yield before + line;
    before = ',\n';
  }
  yield before === '[' ? '[]' : ']';
}

/**
 * Reads the exact bytes of the body.
 * @throws HttpRejection 413 as soon as there are more than `maxBytes`
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stream: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new HttpRejection(413, `The body is over ${String(maxBytes)} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The path without the query string. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').replace(/\?.*$/s, '');
}
