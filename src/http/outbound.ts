// The one client for calls that leave the house: bounded in time and size, no redirects (decisions 19 and 110). In prod
// it does not refuse private addresses yet (decision 26).
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { exchange, ExchangeTimeout, type OutboundReply, type OutboundRequest } from './exchange';

export type { OutboundReply, OutboundRequest };

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
  try {
    return await exchange(agent, outgoing);
  } catch (error) {
    throw new Error(causeOf(error, outgoing.timeoutMs), { cause: error });
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too large headers',
};

function causeOf(error: unknown, timeoutMs: number): string {
  if (error instanceof ExchangeTimeout) return `timeout after ${String(timeoutMs / 1_000)} s`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return CAUSES[code] ?? `no answer (${code === '' ? 'unknown error' : code})`;
}
