// The webhook schedule (decision 19): ten waits with at most ±20 % jitter, and `Retry-After`.
import fc from 'fast-check';
import {
  nextAttemptInMs,
  retryAfterMs,
  WEBHOOK_WAITS_MS,
} from '../../../src/domain/webhooks/schedule';
import { NOON } from '../../support/clock';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The middle of its range, where the jitter changes nothing. */
const NO_JITTER = 0.5;

describe('the webhook schedule', () => {
  it('is the ten waits', () => {
    const expected = [
      0,
      5_000,
      300_000,
      1_800_000,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      14 * HOUR_MS,
      20 * HOUR_MS,
      DAY_MS,
    ];
    expect(WEBHOOK_WAITS_MS).toEqual(expected);
  });

  it('sums to 75.6 hours before jitter', () => {
    const sumMs = WEBHOOK_WAITS_MS.reduce<number>((sum, wait) => sum + wait, 0);
    expect((sumMs / HOUR_MS).toFixed(1)).toBe('75.6');
  });

  it.each([
    [1, 5_000],
    [2, 300_000],
    [3, 1_800_000],
    [4, 2 * HOUR_MS],
    [5, 5 * HOUR_MS],
    [6, 10 * HOUR_MS],
    [7, 14 * HOUR_MS],
    [8, 20 * HOUR_MS],
    [9, DAY_MS],
  ])('after %d attempts waits %d ms before the next', (attempts, waitMs) => {
    expect(nextAttemptInMs(attempts, NO_JITTER, 0)).toBe(waitMs);
  });

  it.each([10, 11, 1_000])('is exhausted after %d attempts, also with Retry-After', (made) => {
    expect(nextAttemptInMs(made, NO_JITTER, 0)).toBeUndefined();
    expect(nextAttemptInMs(made, NO_JITTER, 60_000)).toBeUndefined();
  });

  it('spreads each wait by at most 20 % either way', () => {
    const aRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), aRandom, (attempts, random) => {
        const wait = WEBHOOK_WAITS_MS[attempts] ?? 0;
        const spread = nextAttemptInMs(attempts, random, 0) ?? -1;
        expect(Math.abs(spread - wait)).toBeLessThanOrEqual(wait * 0.2);
      }),
    );
  });

  it('spreads over the whole range, so that many events do not retry at once', () => {
    expect(nextAttemptInMs(4, 0, 0)).toBe(1.6 * HOUR_MS);
    expect(nextAttemptInMs(4, 0.999_999_9, 0)).toBeCloseTo(2.4 * HOUR_MS, -4);
  });
});

describe('Retry-After', () => {
  const waitMsWith = (header: string | undefined, attemptsMade = 1) =>
    nextAttemptInMs(attemptsMade, NO_JITTER, retryAfterMs(header, NOON));

  it.each([
    '120',
    'Mon, 02 Mar 2026 12:02:00 GMT',
    'Monday, 02-Mar-26 12:02:00 GMT',
    'Mon Mar  2 12:02:00 2026',
  ])('is honoured if it is longer than the schedule: "%s"', (header) => {
    expect(waitMsWith(header)).toBe(120_000);
  });

  it.each(['1', 'Mon, 02 Mar 2026 12:00:01 GMT', 'Sun, 01 Mar 2026 12:00:00 GMT', undefined])(
    'never shortens the wait of the schedule: "%s"',
    (header) => {
      expect(waitMsWith(header, 4)).toBe(2 * HOUR_MS);
    },
  );

  it.each([
    ...['86401', '9'.repeat(10), '9'.repeat(30)],
    ...['Tue, 03 Mar 2026 12:00:01 GMT', 'Thu, 31 Dec 2099 23:59:59 GMT'],
  ])('is bounded by a day when it says "%s"', (header) => {
    expect(waitMsWith(header)).toBe(DAY_MS);
  });

  it.each([
    ...['', '-5', '1.5', '1e9', ' 60', 'soon', '0x10'],
    ...['2026-03-03T12:00:00Z', 'Tue, 03 Mar 2026 12:00:00', 'Tue, 03 Mar 2026 12:00:00 +0100'],
    ...['Tue, 03 Mar 2026 99:00:00 GMT', 'Tue, 99 Abc 2026 12:00:00 GMT'],
  ])('is ignored when it is neither seconds nor a date: "%s"', (header) => {
    expect(waitMsWith(header)).toBe(5_000);
  });
});
