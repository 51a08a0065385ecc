// When a webhook that was not taken is sent again (decision 19), as data.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait before each attempt; the first goes out at once. They sum to 75.6 h. */
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
 * @param attemptsMade attempts recorded so far, the last one included
 * @param random in [0, 1): spreads the wait by at most 20 % either way
 * @param retryAfter the `Retry-After` header in seconds, honoured when it asks for longer, up to a day
 */
export function nextAttemptInMs(
  attemptsMade: number,
  random: number,
  retryAfter: string | undefined,
): number | undefined {
  const wait = WEBHOOK_WAITS_MS[attemptsMade];
  if (wait === undefined) return undefined;
  const spread = Math.round(wait * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spread, retryAfterMs(retryAfter));
}

function retryAfterMs(retryAfter: string | undefined): number {
  if (retryAfter === undefined || !/^\d{1,9}$/.test(retryAfter)) return 0;
  return Math.min(Number(retryAfter) * SECOND_MS, RETRY_AFTER_MAX_MS);
}
