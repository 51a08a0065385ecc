// What each answer of a provider has in common: it counts only if it is certainly JSON.
import type { ZodError } from 'zod';
import { faultOfJsonType } from '../../domain/media-type';
import type { OutboundReply } from '../../http/outbound';
import { parseStrictJson } from '../../signing/strict-json';

/** @param why no outcome can be read from the answer */
export function unknownOutcome(why: string) {
  return { outcome: 'unknown', cause: `The provider's answer is unclear: ${why}` } as const;
}

/** Such as ` (local.amount)`: the first member that is missing or wrong. It never has a value. */
export function memberIn({ issues: [issue] }: ZodError): string {
  const member = issue?.path.join('.') ?? '';
  return member === '' ? '' : ` (${member})`;
}

/** Undefined, which JSON cannot contain, unless the body is certainly JSON. */
export function jsonOf({ headers, body, isCut }: OutboundReply): unknown {
  const type = headers['content-type'];
  if (isCut || typeof type !== 'string' || faultOfJsonType(type) !== undefined) return undefined;
  try {
    return parseStrictJson(body);
  } catch {
    return undefined;
  }
}
