// Sends one HTTP request and reads its response, bounded in time and size.
import {
  request as requestPlain,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as requestSecure, type Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole exchange: name look-up, connection, request and complete response. */
  readonly timeoutMs: number;
  /** At most this much of the response body is read. */
  readonly maxBytes: number;
  /** Called on the open connection before the first byte. If it returns false, nothing is sent. */
  readonly isInTime?: () => boolean;
  /** Cancels the exchange when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface OutboundReply {
  readonly status: number;
  /** The values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the response body was longer than `maxBytes`. */
  readonly isCut: boolean;
}

/** The connections, by the scheme of the URL. */
export interface Agents {
  readonly plain: Agent;
  readonly secure: SecureAgent;
}

/** The exchange did not complete within `timeoutMs`. The request may have been sent. */
export class ExchangeTimeout extends Error {
  override name = 'ExchangeTimeout';
}

/** `isInTime` returned false: connecting was slow, or the process paused. Nothing was sent. */
export class SentTooLate extends Error {
  override name = 'SentTooLate';
}

/** The signal was aborted. The request may have been sent. */
export class ExchangeCancelled extends Error {
  override name = 'ExchangeCancelled';
}

/**
 * @param url already checked; it is not parsed again, so the checked host is the one called
 * @throws ExchangeTimeout, SentTooLate, ExchangeCancelled, or an error of Node or of the system
 */
export async function exchange(
  agents: Agents,
  url: URL,
  { timeoutMs, signal, ...outgoing }: Omit<OutboundRequest, 'url'>,
): Promise<OutboundReply> {
  const end = new AbortController();
  const cancel = () => end.abort(new ExchangeCancelled('cancelled before a response arrived'));
  const timer = setTimeout(() => {
    end.abort(new ExchangeTimeout('no complete response in time'));
  }, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    return await send(agents, url, outgoing, end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

async function send(
  agents: Agents,
  url: URL,
  { maxBytes, ...outgoing }: Omit<OutboundRequest, 'url' | 'timeoutMs'>,
  signal: AbortSignal,
): Promise<OutboundReply> {
  const reply = await respond(agents, url, outgoing, signal);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) break;
  }
  return {
    status: reply.statusCode ?? 0,
    headers: reply.headers,
    body: Buffer.concat(chunks).subarray(0, maxBytes),
    isCut: length > maxBytes,
  };
}

const OPTIONS = { maxHeaderSize: 16_384, joinDuplicateHeaders: true } as const;

/** Redirects are responses like any other: Node's client follows none. */
function respond(
  agents: Agents,
  url: URL,
  { body, isInTime, ...head }: Omit<OutboundRequest, 'url' | 'timeoutMs' | 'maxBytes'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const agent = isSecure ? agents.secure : agents.plain;
    const outgoing = (isSecure ? requestSecure : requestPlain)(url, { ...OPTIONS, ...head, agent });
    let reply: IncomingMessage | undefined;
    const fail = (error: Error) => {
      // Reading the response fails with this error. A request without a connection has no event.
      reply?.destroy(error);
      outgoing.destroy();
      reject(error);
    };
    signal.addEventListener('abort', () => fail(signal.reason as Error));
    outgoing.on('error', fail);
    // Otherwise a switch of protocols would leave the connection open.
    outgoing.once('upgrade', (_response, socket) => {
      fail(failure('ECONNRESET'));
      socket.destroy();
    });
    outgoing.once('response', (response) => resolve((reply = response)));
    limitInterim(outgoing, fail);
    // Node sends nothing before `end`. A process that was frozen handles connection events before
    // its timers, so the time is checked once more.
    whenOpen(outgoing, () => {
      if (isInTime?.() ?? true) outgoing.end(body);
      else fail(new SentTooLate('not sent: connecting was too slow, or the worker paused'));
    });
  });
}

export const TOO_MANY_INTERIM = 'TOO_MANY_INTERIM';
const INTERIM_MAX = 16;

/** Some gateways send `100 Continue` first, although no request asks for it. Node skips these. */
function limitInterim(outgoing: ClientRequest, fail: (error: Error) => void): void {
  let [count, bytes] = [0, 0];
  outgoing.on('information', ({ rawHeaders }) => {
    count += 1;
    bytes += rawHeaders.join('').length;
    const isTooMuch = count > INTERIM_MAX || bytes > OPTIONS.maxHeaderSize;
    if (isTooMuch) fail(failure(TOO_MANY_INTERIM));
  });
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function whenOpen(outgoing: ClientRequest, work: () => void): void {
  outgoing.once('socket', (socket: Socket) => {
    // A TLS socket is authorized once its handshake is complete.
    const isSecure = socket instanceof TLSSocket;
    if (isSecure ? socket.authorized : !socket.connecting) work();
    else socket.once(isSecure ? 'secureConnect' : 'connect', work);
  });
}
