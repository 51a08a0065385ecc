// The one client for calls that leave the house: bounded in time and size, no redirects (decisions 19 and 110), and with a
// guard only to addresses that it lets through (decision 114). It knows of no proxy: one would resolve names unguarded.
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import {
  exchange,
  ExchangeCancelled,
  ExchangeTimeout,
  SentTooLate,
  type OutboundReply,
  type OutboundRequest,
} from './exchange';
import { AddressRejected } from './name-lookup';

export type { OutboundReply, OutboundRequest };

export interface Outbound {
  /** @throws Error whose message is a short cause fit for operations: `timeout after 5 s`, `connection refused`. */
  send(outgoing: OutboundRequest): Promise<OutboundReply>;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 64;

/** Where calls may go (src/http/partner-outbound.ts). Each of its rejections is a short cause fit for operations. */
export interface OutboundGuard {
  /** Why nothing is sent to this URL as it is written; undefined when something may be. */
  rejectionOfUrl(url: URL): string | undefined;
  /** How a connection by this scheme (`https:`) finds the addresses of a name: what it answers is connected to. */
  lookupFor(protocol: string): LookupFunction;
}

export interface OutboundOptions {
  /** Without one, calls go to any address, by the system's own look-up. */
  readonly guard?: OutboundGuard;
  /** How connections are made and ended where that is not undici's way; it replaces the look-ups of a guard. */
  readonly connect?: buildConnector.connector;
}

export function createOutbound({ guard, connect }: OutboundOptions = {}): Outbound {
  const connector = connect ?? (guard === undefined ? undefined : guardedConnect(guard));
  const agent = new Agent({
    ...(connector !== undefined && { connect: connector }),
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: 16_384,
    pipelining: 1,
  });
  return {
    async send(outgoing) {
      const url = checkedUrl(outgoing.url, guard);
      try {
        return await exchange(agent, url, outgoing);
      } catch (error) {
        throw new Error(causeOf(error, outgoing.timeoutMs), { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

/** Parsed once: the host that is judged is the one that is connected to. */
function checkedUrl(text: string, guard: OutboundGuard | undefined): URL {
  if (!URL.canParse(text)) throw new Error('the address is not a URL');
  const url = new URL(text);
  const rejection = guard?.rejectionOfUrl(url);
  if (rejection !== undefined) throw new Error(rejection);
  return url;
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

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too large headers',
};

/** Their messages are short causes already. */
function isOwnCause(error: unknown): error is Error {
  return [AddressRejected, SentTooLate, ExchangeCancelled].some((kind) => error instanceof kind);
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (isOwnCause(error)) return error.message;
  if (error instanceof ExchangeTimeout) return `timeout after ${String(timeoutMs / 1_000)} s`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return CAUSES[code] ?? `no answer (${code === '' ? 'unknown error' : code})`;
}
