// What each answer of a provider has in common: it counts only if it is certainly JSON.
import { faultOfJsonType } from '../../domain/media-type';
import type { OutboundReply } from '../../http/outbound';
import { parseStrictJson } from '../../signing/strict-json';

/** @param why no outcome can be read from the answer */
export function unknownOutcome(why: string) {
  return { outcome: 'unknown', cause: `The provider's answer is unclear: ${why}` } as const;
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
