// The retry schedule of webhooks (decision 19), as data.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait before each attempt; the first is sent at once. The sum is 75.6 h. */
export const WEBHOOK_WAITS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * Milliseconds until the next attempt, or undefined when the schedule is used up.
 * @param attemptsMade attempts recorded since the schedule began, the last one included
 * @param random in [0, 1): spreads the wait by at most 20 % either way
 * @param requestedMs the endpoint's `Retry-After`: used if it is longer, up to a day
 */
export function nextAttemptInMs(
  attemptsMade: number,
  random: number,
  requestedMs: number,
): number | undefined {
  const wait = WEBHOOK_WAITS_MS[attemptsMade];
  if (wait === undefined) return undefined;
  const spread = Math.round(wait * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spread, Math.min(requestedMs, RETRY_AFTER_MAX_MS));
}

/** The three date forms of HTTP (RFC 9110, section 5.6.7). The last has no zone: it is UTC too. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/**
 * A `Retry-After` header, seconds or a date, in milliseconds from `now`; 0 if it is unreadable or
 * the time has passed.
 */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  if (/^\d+$/.test(header)) return Number(header) * SECOND_MS;
  if (!HTTP_DATE.test(header)) return 0;
  const at = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}
