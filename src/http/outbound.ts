// The one client for calls that leave the house: bounded in time and size, no redirects (decisions 19 and 110), and with a
// guard only to addresses that it lets through (decision 114). It knows of no proxy: one would resolve names unguarded.
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { AddressRefused } from './name-lookup';

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

/** Where calls may go (src/http/partner-outbound.ts). Each of its refusals is a short cause fit for operations. */
export interface OutboundGuard {
  /** Why nothing is sent to this URL as it is written; undefined when something may be. */
  refusalOfUrl(url: URL): string | undefined;
  /** How a connection by this scheme (`https:`) finds the addresses of a name: what it answers is connected to. */
  lookupFor(protocol: string): LookupFunction;
}

/** Without a guard calls go anywhere, by the system's own look-up: for addresses that operators give, as those of providers. */
export function createOutbound(guard?: OutboundGuard): Outbound {
  const agent = new Agent({
    ...(guard !== undefined && { connect: guardedConnect(guard) }),
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  return {
    async send(outgoing) {
      // Parsed once: the host that is judged is the one that is connected to.
      if (!URL.canParse(outgoing.url)) throw new Error('the address is not a URL');
      const url = new URL(outgoing.url);
      const refusal = guard?.refusalOfUrl(url);
      if (refusal !== undefined) throw new Error(refusal);
      return sendBounded(agent, url, outgoing);
    },
    close: () => agent.destroy(),
  };
}

/** A connector for each scheme, because an address may be open to one of them alone. */
function guardedConnect(guard: OutboundGuard): buildConnector.connector {
  const plain = buildConnector({ lookup: guard.lookupFor('http:') });
  const secure = buildConnector({ lookup: guard.lookupFor('https:') });
  return (to, callback) => {
    const connect = to.protocol === 'https:' ? secure : plain;
    connect(to, callback);
  };
}

async function sendBounded(
  agent: Agent,
  url: URL,
  outgoing: OutboundRequest,
): Promise<OutboundReply> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
  }, outgoing.timeoutMs);
  const { signal } = late;
  try {
    // undici hears of the signal only once it has a connection, which may take 10 s longer: the wait ends here, and undici
    // sends nothing for which it has been told to stop.
    return await Promise.race([sendAndRead(agent, url, { ...outgoing, signal }), endOf(signal)]);
  } catch (error) {
    throw new Error(causeOf(error, signal, outgoing.timeoutMs), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function sendAndRead(
  agent: Agent,
  url: URL,
  { method, headers, body, maxBytes, signal }: OutboundRequest & { readonly signal: AbortSignal },
): Promise<OutboundReply> {
  const reply = await request(url, {
    dispatcher: agent,
    method,
    headers: { ...headers },
    body: body ?? null,
    signal,
  });
  const read = await readBounded(reply, maxBytes);
  return { status: reply.statusCode, headers: reply.headers, ...read };
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('the time is over'));
    });
  });
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
  if (error instanceof AddressRefused) return error.message;
  if (signal.aborted) return `timeout after ${String(timeoutMs / 1_000)} s`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return CAUSES[code] ?? `no answer (${code === '' ? 'unknown error' : code})`;
}
