// The only HTTP client for outgoing calls: bounded in time and size, without redirects (decisions
// 19 and 110). With a guard it connects only to allowed addresses (decision 114). It uses no proxy,
// because a proxy would resolve names without the guard.
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, errors } from 'undici';
import { systemCodeOf } from '../domain/errors';
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
  /** @throws Error whose message is a short cause for operators: `timeout after 5 s` */
  send(outgoing: OutboundRequest): Promise<OutboundReply>;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 64;

/** Decides which addresses may be called. Each rejection is a short cause for operators. */
export interface OutboundGuard {
  /** Why the URL as written is denied; undefined when it is allowed. */
  rejectionOfUrl(url: URL): string | undefined;
  /** The look-up for connections of this scheme (`https:`). It returns only allowed addresses. */
  lookupFor(protocol: string): LookupFunction;
}

interface OutboundOptions {
  /** Without a guard, calls go to any address, resolved by the system. */
  readonly guard?: OutboundGuard;
  /** Opens connections instead of undici. It replaces the look-up of a guard. */
  readonly connect?: buildConnector.connector;
  /** Further calls to one origin wait for a connection, and that wait is part of their timeout. */
  readonly connectionsPerOrigin?: number;
}

export function createOutbound({
  guard,
  connect,
  connectionsPerOrigin = CONNECTIONS_PER_ORIGIN,
}: OutboundOptions = {}): Outbound {
  const connector = connect ?? (guard === undefined ? undefined : guardedConnect(guard));
  const agent = new Agent({
    ...(connector !== undefined && { connect: connector }),
    connections: connectionsPerOrigin,
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

/** Parses the URL once, so that the checked host is the one that is called. */
function checkedUrl(text: string, guard: OutboundGuard | undefined): URL {
  if (!URL.canParse(text)) throw new Error('the address is not a URL');
  const url = new URL(text);
  const rejection = guard?.rejectionOfUrl(url);
  if (rejection !== undefined) throw new Error(rejection);
  return url;
}

/**
 * Certificates are verified also where NODE_TLS_REJECT_UNAUTHORIZED=0 turns that off for a process:
 * a key set decides who may confirm, and a provider's answer what is paid.
 */
export const VERIFIED = { rejectUnauthorized: true } as const;

/** One connector per scheme, because an address may be allowed for only one of them. */
function guardedConnect(guard: OutboundGuard): buildConnector.connector {
  const plain = buildConnector({ lookup: guard.lookupFor('http:') });
  const secure = buildConnector({ ...VERIFIED, lookup: guard.lookupFor('https:') });
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

/** The messages of these errors are already short causes. */
function isOwnCause(error: unknown): error is Error {
  return [AddressRejected, SentTooLate, ExchangeCancelled].some((kind) => error instanceof kind);
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (isOwnCause(error)) return error.message;
  if (error instanceof ExchangeTimeout) return `timeout after ${String(timeoutMs / 1_000)} s`;
  if (error instanceof errors.HTTPParserError) return 'the answer is cut off or not HTTP';
  const code = systemCodeOf(error);
  return CAUSES[code] ?? `no answer (${code === '' ? 'unknown error' : code})`;
}
