// Calls the provider under test as the engine does, by the engine's HTTP client, and counts what it
// orders. Each call has a timeout, and a run has a maximum of calls.
import { isUsdCents } from '../../../domain/money';
import { PROVIDER_ANSWER_MAX_BYTES } from '../../../domain/payouts/limits';
import type { Corridor } from '../../../corridors/names';
import type { Outbound, OutboundReply } from '../../../http/outbound';
import { makeUniqueText } from '../../clock';
import { membersIn, readingOf, type Members, type Reading } from './reading';

export interface Target {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly corridor: Corridor;
}

export interface Timing {
  readonly wait: (ms: number) => Promise<void>;
  readonly timeoutMs: number;
  /** After this an order without an answer is given up. */
  readonly silentAfterMs: number;
}

export interface Order {
  readonly key: string;
  readonly cents: unknown;
  /** Further or other members of the body. */
  readonly change?: Members;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const CALLS_MAX = 400;
const POLLS_MAX = 20;
const BETWEEN_POLLS_MS = 500;

export type Caller = ReturnType<typeof createCaller>;

export function createCaller(outbound: Outbound, target: Target, timing: Timing) {
  const calls = { made: 0 };
  const ordered = new Map<string, number>();
  /** A text instead of a reply says why there is none. */
  const send = async ({ path, headers, ...call }: Call): Promise<OutboundReply | string> => {
    calls.made += 1;
    if (calls.made > CALLS_MAX) throw new Error(`More than ${String(CALLS_MAX)} calls.`);
    const sent = { ...COMMON, authorization: `Bearer ${target.token}`, ...headers };
    const limits = { timeoutMs: timing.timeoutMs, maxBytes: PROVIDER_ANSWER_MAX_BYTES };
    const url = `${target.baseUrl}${path}`;
    return outbound.send({ ...limits, ...call, url, headers: sent }).catch(messageOf);
  };
  const order = async (given: Order, more: Partial<Call> = {}): Promise<Reading> => {
    const { path, headers, body } = orderRequest(given, target);
    if (isUsdCents(given.cents)) ordered.set(given.key, given.cents);
    const all = { ...headers, ...more.headers };
    const reply = await send({ method: 'POST', path, body, ...more, headers: all });
    return readingIn(reply, given.key, 'order');
  };
  const find = async (key: string): Promise<Reading> =>
    readingIn(await send({ method: 'GET', path: pathOf(key) }), key, 'query');
  return {
    ...{ target, timing, send, order, find },
    /** Queries until the order is neither pending nor unclear. */
    async settled(key: string): Promise<Reading> {
      for (let polls = 1; ; polls += 1) {
        const reading = await find(key);
        const isOpen = reading.kind === 'unclear' || isPending(reading);
        if (!isOpen || polls === POLLS_MAX) return reading;
        await timing.wait(BETWEEN_POLLS_MS);
      }
    },
    async quote(cents: number, qrPayload: string): Promise<OutboundReply | string> {
      const request = { corridor: target.corridor, amount_usd_cents: cents, qr_payload: qrPayload };
      const headers = { 'content-type': 'application/json' };
      return send({ method: 'POST', path: '/quotes', body: JSON.stringify(request), headers });
    },
    async balance(): Promise<Balance | undefined> {
      const reply = await send({ method: 'GET', path: '/balance' });
      const isRead = typeof reply !== 'string' && reply.status === 200;
      return balanceIn((isRead ? membersIn(reply) : undefined) ?? {});
    },
    /** Noted before a request that this file does not send. */
    note: ({ key, cents }: { readonly key: string; readonly cents: number }) =>
      ordered.set(key, cents),
    /** What was ordered, each key once. */
    ordered: (): ReadonlyMap<string, number> => ordered,
  };
}

const pathOf = (key: string) => `/payouts/${encodeURIComponent(key)}`;

/** The request of an order, for those that send it otherwise. */
export function orderRequest({ key, cents, change = {} }: Order, { token, corridor }: Target) {
  return {
    path: '/payouts',
    headers: {
      ...{ ...COMMON, authorization: `Bearer ${token}` },
      ...{ 'content-type': 'application/json', 'idempotency-key': key },
    },
    body: JSON.stringify({ amount_usd_cents: cents, corridor, ...change }),
  };
}

/** Of the form of the engine's keys. */
export function newKey(): string {
  return `pi_${makeUniqueText().replaceAll('-', '').slice(0, 26)}:payout`;
}

const isPending = (reading: Reading): boolean =>
  reading.kind === 'payout' && reading.status === 'pending';

interface Balance {
  readonly environment: unknown;
  /** In units of 10 to the power of -18. */
  readonly available: bigint;
}

const DECIMALS = 18;
export const CENT = 10n ** BigInt(DECIMALS - 2);

function balanceIn({ currency, available, environment }: Members): Balance | undefined {
  const text = typeof available === 'string' ? available : '';
  const [, whole, decimals = ''] = /^(\d{1,13})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === undefined || (currency !== 'USD' && currency !== 'USDT')) return undefined;
  return { environment, available: BigInt(whole + decimals.padEnd(DECIMALS, '0')) };
}

const COMMON = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'cache-control': 'no-cache',
};

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'no answer');

function readingIn(reply: OutboundReply | string, key: string, asked: 'order' | 'query'): Reading {
  return typeof reply === 'string'
    ? { kind: 'unclear', why: `gave no answer: ${reply}` }
    : readingOf(reply, key, asked);
}
