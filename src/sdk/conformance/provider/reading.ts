// Reads a provider's answer as strictly as the engine does (docs/provider-protocol.md): what is not
// certainly an answer about this key is unclear. test/sdk/conformance/provider holds it to the
// engine's adapter. Stricter in one point: no answer may come from a cache.
import { faultOfJsonType } from '../../../domain/media-type';
import { isUsdCents } from '../../../domain/money';
import { FAILURE_CODES } from '../../../domain/payouts/permissions';
import type { OutboundReply } from '../../../http/outbound';
import { parseStrictJson } from '../../../signing/strict-json';

export interface WireLocal {
  readonly currency: 'THB' | 'VND';
  readonly amount: number;
}

export interface Payout {
  readonly kind: 'payout';
  readonly status: 'paid' | 'pending' | 'declined' | 'returned';
  readonly cents: number;
  readonly reference: string | null;
  readonly local: WireLocal | null;
}

export type Reading =
  | Payout
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused'; readonly code: string }
  /** `why` continues the sentence `It …`. */
  | { readonly kind: 'unclear'; readonly why: string };

export type Members = Readonly<Record<string, unknown>>;

/** The members of the object in a reply; undefined unless it is certainly JSON, and not cached. */
export function membersIn(reply: OutboundReply): Members | undefined {
  if (!isPlainJson(reply)) return undefined;
  try {
    const value = parseStrictJson(reply.body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPlainJson({ headers, isCut }: OutboundReply): boolean {
  const type = headers['content-type'];
  const isEncoded = !/^identity$/i.test(String(headers['content-encoding'] ?? 'identity'));
  if (isCut || isEncoded || headers['age'] !== undefined) return false;
  return typeof type === 'string' && faultOfJsonType(type) === undefined;
}

/** @param asked `order`: the answer to a POST; `query`: the answer to a GET by key */
export function readingOf(reply: OutboundReply, key: string, asked: 'order' | 'query'): Reading {
  const { status } = reply;
  const members = membersIn(reply);
  if (members === undefined) return unclear(`answered ${String(status)}${flawOf(reply)}`);
  if (members['key'] !== key) return unclear(`answered ${String(status)} without this key`);
  if ([200, 201, 202].includes(status)) return payoutIn(members);
  const denial = asked === 'query' ? unknownKeyIn(status, members) : refusalIn(status, members);
  return denial ?? unclear(`answered ${String(status)}`);
}

function unknownKeyIn(status: number, members: Members): Reading | undefined {
  const isIt = members['error'] === 'not_found' && Object.keys(members).length === 2;
  return status === 404 && isIt ? { kind: 'not_found' } : undefined;
}

function refusalIn(status: number, { error: code }: Members): Reading | undefined {
  return status === 422 && isCode(code) ? { kind: 'refused', code } : undefined;
}

/** Such as `It answered paid, 100 cents.` */
export function described(reading: Reading): string {
  switch (reading.kind) {
    case 'payout':
      return `It answered ${reading.status}, ${String(reading.cents)} cents.`;
    case 'not_found':
      return 'It answered not_found.';
    case 'refused':
      return `It refused the order: ${reading.code}.`;
    case 'unclear':
      return `It ${reading.why}.`;
  }
}

const STATUSES = ['paid', 'pending', 'declined', 'returned'] as const;

function payoutIn({ status, amount_usd_cents: cents, ...more }: Members): Reading {
  const known = STATUSES.find((one) => one === status);
  const { reference = null, local = null } = more;
  if (known === undefined) return unclear('answered another status than the four');
  if (!isUsdCents(cents)) return unclear('answered no amount in whole cents');
  if (!isReference(reference)) return unclear('answered a reference that is no text');
  if (local !== null && !isLocal(local)) return unclear('answered an unreadable local amount');
  return { kind: 'payout', status: known, cents, reference, local };
}

function isReference(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^[^]{1,128}$/.test(value));
}

export function isLocal(value: unknown): value is WireLocal {
  if (!isObject(value)) return false;
  const { currency, amount } = value;
  return (
    (currency === 'THB' || currency === 'VND') && Number.isSafeInteger(amount) && Number(amount) > 0
  );
}

function flawOf({ headers, isCut }: OutboundReply): string {
  if (headers['age'] !== undefined) return ' from a cache, with an Age header';
  if (isCut) return ' with more than 16 kB';
  return ` without an object in plain JSON (${String(headers['content-type'] ?? 'no type')})`;
}

const isCode = (code: unknown): code is string => FAILURE_CODES.some((one) => one === code);
const unclear = (why: string) => ({ kind: 'unclear', why }) as const;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
