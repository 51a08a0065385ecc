// The only HTTP client for outgoing calls: bounded in time and size, without redirects (decisions
// 19 and 110). With a guard it connects only to allowed addresses (decision 114). It uses no proxy,
// because a proxy would resolve names without the guard.
import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { systemCodeOf } from '../domain/errors';
import {
  exchange,
  ExchangeCancelled,
  ExchangeTimeout,
  SentTooLate,
  TOO_MANY_INTERIM,
  type Agents,
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
  /** Opens connections by agents of another kind. */
  readonly agentsOf?: (options: AgentOptions) => Agents;
  /** Further calls to one origin wait for a connection, and that wait is part of their timeout. */
  readonly connectionsPerOrigin?: number;
}

/** Servers close idle connections later than this. */
const IDLE_TIMEOUT_MS = 4_000;

export function createOutbound({
  guard,
  agentsOf = (options) => guardedAgents(options, guard),
  connectionsPerOrigin: maxSockets = CONNECTIONS_PER_ORIGIN,
}: OutboundOptions = {}): Outbound {
  const idle = { keepAlive: true, timeout: IDLE_TIMEOUT_MS };
  const agents = agentsOf({ ...idle, maxSockets, maxFreeSockets: maxSockets });
  return {
    async send(outgoing) {
      const url = checkedUrl(outgoing.url, guard);
      try {
        return await exchange(agents, url, outgoing);
      } catch (error) {
        throw new Error(causeOf(error, outgoing.timeoutMs), { cause: error });
      }
    },
    close() {
      agents.plain.destroy();
      agents.secure.destroy();
      return Promise.resolve();
    },
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

/** One look-up per scheme, because an address may be allowed for only one of them. */
function guardedAgents(options: AgentOptions, guard?: OutboundGuard): Agents {
  const lookupFor = (protocol: string) => guard && { lookup: guard.lookupFor(protocol) };
  return {
    plain: new Agent({ ...options, ...lookupFor('http:') }),
    secure: new SecureAgent({ ...options, ...VERIFIED, ...lookupFor('https:') }),
  };
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed or reset',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve at the moment',
  [TOO_MANY_INTERIM]: 'too many 1xx responses before the answer',
  HPE_HEADER_OVERFLOW: 'the answer has too large headers',
};

/** The messages of these errors are already short causes. */
function isOwnCause(error: unknown): error is Error {
  return [AddressRejected, SentTooLate, ExchangeCancelled].some((kind) => error instanceof kind);
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (isOwnCause(error)) return error.message;
  if (error instanceof ExchangeTimeout) return `timeout after ${String(timeoutMs / 1_000)} s`;
  const code = systemCodeOf(error);
  // Codes of Node's parser.
  if (code.startsWith('HPE_')) return CAUSES[code] ?? 'the answer is cut off or not HTTP';
  return CAUSES[code] ?? `no answer (${code === '' ? 'unknown error' : code})`;
}
