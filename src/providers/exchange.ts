// What the exchanges of all adapters have in common. An answer counts only if it is certainly JSON.
import type { ZodError } from 'zod';
import { faultOfJsonType } from '../domain/media-type';
import type { OutboundReply } from '../http/outbound';
import { parseWithNumbersAsText } from '../signing/json-numbers';
import { parseStrictJson } from '../signing/strict-json';

export interface AccountAddress {
  readonly baseUrl: string;
  /** A bearer token, or the JSON object of credentials that the adapter needs. */
  readonly token: string;
}

export const COMMON_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  // A cache on the way must not answer instead of the provider.
  'cache-control': 'no-cache',
};

export const unknown = (cause: string) => ({ outcome: 'unknown', cause }) as const;

/** @param why no outcome can be read from the answer */
export const unclear = (why: string) => unknown(`The provider's answer is unclear: ${why}`);

/** Never throws: what the exchange throws is the cause of an outcome `unknown`. */
export async function unknownIfFailed<Answer>(exchange: () => Promise<Answer>) {
  try {
    return await exchange();
  } catch (error) {
    return unknown(error instanceof Error ? error.message : 'no answer');
  }
}

/** Such as ` (local.amount)`: the first member that is missing or wrong. It never has a value. */
export function memberIn({ issues: [issue] }: ZodError): string {
  const member = issue?.path.join('.') ?? '';
  return member === '' ? '' : ` (${member})`;
}

/** No encoding was requested: one shows that something on the way has changed the answer. */
export const isPlain = ({ headers }: OutboundReply): boolean =>
  /^identity$/i.test(String(headers['content-encoding'] ?? 'identity'));

export const isFromCache = ({ headers }: OutboundReply): boolean => headers['age'] !== undefined;

export function isWholeJson({ headers, isCut }: Pick<OutboundReply, 'headers' | 'isCut'>): boolean {
  const type = headers['content-type'];
  return !isCut && typeof type === 'string' && faultOfJsonType(type) === undefined;
}

/** Undefined, which JSON cannot contain, unless the body is certainly JSON. */
export const jsonOf = (reply: Omit<OutboundReply, 'status'>): unknown =>
  isWholeJson(reply) ? strictJsonIn(reply.body) : undefined;

/** Undefined if the bytes are not clear JSON. */
export const strictJsonIn = (bytes: Uint8Array): unknown =>
  undefinedIfUnclear(() => parseStrictJson(bytes));

/** As {@link strictJsonIn}, with numbers as text. */
export const jsonTextsIn = (bytes: Uint8Array): unknown =>
  undefinedIfUnclear(() => parseWithNumbersAsText(bytes));

function undefinedIfUnclear(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
