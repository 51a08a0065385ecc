// Decision 19: 0, 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h with at most ±20 % jitter; `Retry-After` honoured.
import fc from 'fast-check';
import { nextAttemptInMs, WEBHOOK_WAITS_MS } from '../../src/domain/webhook-schedule';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** In the middle of its range, the jitter changes nothing. */
const NO_JITTER = 0.5;

describe('the webhook schedule', () => {
  it('is the ten waits of decision 19', () => {
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
    expect(nextAttemptInMs(attempts, NO_JITTER, undefined)).toBe(waitMs);
  });

  it.each([10, 11, 1_000])('is used up after %d attempts, whatever the endpoint asks', (made) => {
    expect(nextAttemptInMs(made, NO_JITTER, undefined)).toBeUndefined();
    expect(nextAttemptInMs(made, NO_JITTER, '60')).toBeUndefined();
  });

  it('spreads each wait by at most 20 % either way', () => {
    const aRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), aRandom, (attempts, random) => {
        const wait = WEBHOOK_WAITS_MS[attempts] ?? 0;
        const spread = nextAttemptInMs(attempts, random, undefined) ?? -1;
        expect(Math.abs(spread - wait)).toBeLessThanOrEqual(wait * 0.2);
      }),
    );
  });

  it('spreads over the whole range, so that a crowd does not come back at once', () => {
    expect(nextAttemptInMs(4, 0, undefined)).toBe(1.6 * HOUR_MS);
    expect(nextAttemptInMs(4, 0.999_999_9, undefined)).toBeCloseTo(2.4 * HOUR_MS, -4);
  });
});

describe('Retry-After', () => {
  it('is honoured when it asks for longer than the schedule', () => {
    expect(nextAttemptInMs(1, NO_JITTER, '120')).toBe(120_000);
  });

  it('never shortens the wait of the schedule', () => {
    expect(nextAttemptInMs(4, NO_JITTER, '1')).toBe(2 * HOUR_MS);
  });

  it.each(['86401', '999999999'])('is bounded by a day when it says %s seconds', (text) => {
    expect(nextAttemptInMs(1, NO_JITTER, text)).toBe(DAY_MS);
  });

  it.each(['', '-5', '1.5', '1e9', ' 60', 'soon', '9'.repeat(10), '0x10'])(
    'is ignored when it is not seconds: "%s"',
    (text) => {
      expect(nextAttemptInMs(1, NO_JITTER, text)).toBe(5_000);
    },
  );
});
