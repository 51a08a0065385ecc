// Strict parser of RFC 3339 date-times; Date.parse accepts far more. A second may have any number
// of fractional digits.

const RFC3339 = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;
/** A leap second is the last of a day in UTC. */
const LEAP = ':60';
const DAY_MS = 86_400_000;
const UTC_OFFSETS = new Set(['Z', 'z', '+00:00']);

/**
 * Milliseconds since 1970, or undefined if the text is no RFC 3339 date-time with a known offset. A
 * leap second counts as the one after it. Any fraction of a millisecond counts as a half, so that
 * comparisons with whole milliseconds are exact.
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
  const wholeMs = localMs(seconds.toUpperCase()) - offsetMs(offset);
  const isOne = seconds.endsWith(LEAP) ? wholeMs % DAY_MS === 0 : !Number.isNaN(wholeMs);
  return isOne ? wholeMs + fractionMs(digits) : undefined;
}

function fractionMs(digits: string): number {
  const wholeMs = Number(digits.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(digits.slice(3)) ? wholeMs + 0.5 : wholeMs;
}

/** Not a number for 2026-02-30, and for the 24:00:00 that Date.parse accepts: the next day's. */
function localMs(seconds: string): number {
  const isLeap = seconds.endsWith(LEAP);
  const ms = Date.parse(`${isLeap ? seconds.replace(LEAP, ':59') : seconds}Z`);
  const isOnItsDay = new Date(ms).getUTCDate() === Number(seconds.slice(8, 10));
  return isOnItsDay ? ms + (isLeap ? 1_000 : 0) : Number.NaN;
}

/** Not a number for `-00:00`, which means that the offset is unknown, and out of bounds. */
function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [hours = 99, minutes = 99] = offset.slice(1).split(':').map(Number);
  if (hours > 23 || minutes > 59 || offset === '-00:00') return Number.NaN;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
