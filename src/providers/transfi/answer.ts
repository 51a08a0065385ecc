// Which answers count as TransFi's own, and where they name an order and its errors. The envelope
// of an answer is not documented, so one that can be read in two ways is not read.
import { z } from 'zod';
import type { OutboundReply } from '../../http/outbound';
import { parseWithNumbersAsText } from '../../signing/json-numbers';
import { isFromCache, isPlain, isWholeJson } from '../exchange';

/** TransFi's own id of an order. Any other text could change the path of a query. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && /^OR-[\w-]{1,125}$/.test(value);

/** Its message is the cause of an outcome `unknown`. */
export const unclear = (why: string): Error =>
  new Error(`The provider's answer is unclear: ${why}`);

/**
 * The members of the body, with numbers as text. An answer from a cache is not about this request,
 * and one in an encoding that nobody requested was changed on the way.
 * @throws Error if it is not certainly a whole JSON object from TransFi itself
 */
export function membersIn(reply: OutboundReply): Members {
  if (isFromCache(reply)) throw unclear('it comes from a cache');
  if (!isPlain(reply)) throw unclear('it has a Content-Encoding');
  const isWhole = isWholeJson(reply);
  if (!isWhole) throw unclear(`it answered ${String(reply.status)} without whole JSON`);
  const { data } = membersSchema.safeParse(parseWithNumbersAsText(reply.body));
  if (data === undefined) throw unclear('it is no JSON object');
  return data;
}

/** Not 203, 204 or 206: such a response is altered, empty or partial. */
export const isSuccess = ({ status }: OutboundReply): boolean => [200, 201, 202].includes(status);
export const isRejection = ({ status }: OutboundReply): boolean => status >= 400 && status < 500;

export type Members = Readonly<Record<string, unknown>>;
const membersSchema = z.record(z.string(), z.unknown());

export const membersOf = (value: unknown): Members => membersSchema.safeParse(value).data ?? {};

interface NamedOrder {
  readonly reference: string | null;
  readonly members: Members;
}

/** Without a reference unless exactly one of the answer, its `data` and its `order` has an id. */
export function orderIn(answer: Members): NamedOrder {
  const places = [answer, membersOf(answer['data']), membersOf(answer['order'])];
  const found = places.flatMap((members): NamedOrder[] => {
    const ids = new Set([members['orderId'], members['id']].filter(isReference));
    return [...ids].map((reference) => ({ reference, members }));
  });
  const [order = { reference: null, members: {} }, ...others] = found;
  return others.length === 0 ? order : { reference: null, members: {} };
}

/** All error codes: `code` and `error` of the answer, of its `error`, and of each of `details`. */
export function codesIn(answer: Members): readonly unknown[] {
  const error = membersOf(answer['error']);
  const details = [answer['details'], error['details']].filter(Array.isArray).flat() as unknown[];
  const places = [answer, error, ...details.map(membersOf)];
  return [...details, ...places.flatMap(({ code, error: name }) => [code, name])];
}
