// Strict parser of RFC 3339 date-times; Date.parse accepts far more. A second may have any number
// of fractional digits.

const RFC3339 = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;
const UTC_OFFSETS = new Set(['Z', 'z', '+00:00']);

/**
 * Milliseconds since 1970, or undefined if the text is no RFC 3339 date-time. Any fraction of a
 * millisecond counts as a half, so that comparisons with whole milliseconds are exact.
 */
export function parseRfc3339(text: string): number | undefined {
  return toMs(RFC3339.exec(text));
}

/** The same, in UTC only: `Z` or `+00:00` (decision 24). */
export function parseRfc3339Utc(text: string): number | undefined {
  const parts = RFC3339.exec(text);
  return UTC_OFFSETS.has(parts?.[3] ?? '') ? toMs(parts) : undefined;
}

function toMs(parts: RegExpExecArray | null): number | undefined {
  const [, seconds = '', digits = '', offset = ''] = parts ?? [];
  const localMs = parseLocal(seconds.toUpperCase());
  const offsetMs = parseOffset(offset);
  if (localMs === undefined || offsetMs === undefined) return undefined;
  return localMs - offsetMs + parseFraction(digits);
}

function parseFraction(digits: string): number {
  const wholeMs = Number(digits.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(digits.slice(3)) ? wholeMs + 0.5 : wholeMs;
}

/** Rejects 2026-02-30, and the 24:00:00 that Date.parse accepts: both fall on another day. */
function parseLocal(seconds: string): number | undefined {
  const ms = Date.parse(`${seconds}Z`);
  const isOnItsDay = new Date(ms).getUTCDate() === Number(seconds.slice(8, 10));
  return isOnItsDay ? ms : undefined;
}

function parseOffset(offset: string): number | undefined {
  if (/^z$/i.test(offset)) return 0;
  const [hours = 99, minutes = 99] = offset.slice(1).split(':').map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
