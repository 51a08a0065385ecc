// The one client for calls that leave the house: bounded in time and size, no redirects (decisions 19 and 110). In prod
// it does not refuse private addresses yet (decision 26).
import type { LookupFunction } from 'node:net';
import { Agent, request, type Dispatcher } from 'undici';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything: name, connection, request and the whole answer. */
  readonly timeoutMs: number;
  /** More than this of the answer's body is not read. */
  readonly maxBytes: number;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the answer went on beyond `maxBytes`. */
  readonly isCut: boolean;
}

export interface Outbound {
  /** @throws Error whose message is a short cause fit for operations: `timeout after 5 s`, `connection refused`. */
  send(outgoing: OutboundRequest): Promise<OutboundReply>;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 64;

interface OutboundOptions {
  /** How names become addresses: the system's way unless told. Partners' names need another (src/http/name-lookup.ts). */
  readonly lookup?: LookupFunction;
}

export function createOutbound(options: OutboundOptions = {}): Outbound {
  const agent = new Agent({
    connect: { ...options },
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  return {
    send: (outgoing) => sendBounded(agent, outgoing),
    close: () => agent.destroy(),
  };
}

async function sendBounded(agent: Agent, outgoing: OutboundRequest): Promise<OutboundReply> {
  const signal = AbortSignal.timeout(outgoing.timeoutMs);
  try {
    const reply = await request(outgoing.url, {
      dispatcher: agent,
      method: outgoing.method,
      headers: { ...outgoing.headers },
      body: outgoing.body ?? null,
      signal,
    });
    const { body, isCut } = await readBounded(reply, outgoing.maxBytes);
    return { status: reply.statusCode, headers: reply.headers, body, isCut };
  } catch (error) {
    throw new Error(causeOf(error, signal, outgoing.timeoutMs), { cause: error });
  }
}

async function readBounded(
  reply: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of reply.body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too large headers',
};

function causeOf(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `timeout after ${String(timeoutMs / 1_000)} s`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return CAUSES[code] ?? `no answer (${code === '' ? 'unknown error' : code})`;
}
