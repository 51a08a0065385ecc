// What a worker learns of a provider from its answers: whether a payment may wait for it within a
// workflow task, and whether its breaker lets an order through.
import {
  BREAKER_PAYERS_MIN,
  BREAKER_PROBE_EVERY_MS,
  BREAKER_UNANSWERED_MIN,
  PAYOUT_AT_ONCE_TIMEOUT_MS,
  PAYOUT_DELAYED_MAX_SECONDS,
  PAYOUTS_IN_TASKS_MAX,
  PROVIDER_FAST_ORDERS_MIN,
} from '../../../src/domain/payouts/limits';
import { createProviderHealth } from '../../../src/domain/payouts/provider-health';

const SLOW_MS = PAYOUT_AT_ONCE_TIMEOUT_MS;
const HELD_MS = PAYOUT_DELAYED_MAX_SECONDS * 1_000;

/** The health of one provider; its time moves only while it pauses. */
function aProvider() {
  let nowMs = 0;
  const breaker: boolean[] = [];
  const during: (() => void)[] = [];
  const health = createProviderHealth({
    elapsedMs: () => nowMs,
    pause(ms) {
      nowMs += ms;
      during.shift()?.();
      return Promise.resolve();
    },
    onBreaker: (isOpen) => breaker.push(isOpen),
  });
  return {
    health,
    /** What the gauge showed, in order. */
    breaker,
    /** Happens at the next pause. */
    whilePaused: (what: () => void) => during.push(what),
    answer: (orderMs = 1) => {
      health.record(true, orderMs);
    },
    /** Unanswered first attempts, from so many payers in turn. */
    ignore(count: number, payers = count) {
      for (let n = 0; n < count; n += 1) health.recordUnanswered(`p${String(n % payers)}`);
    },
    /** An unanswered order that is no first attempt. */
    ignoreRepeat: () => {
      health.record(false, SLOW_MS);
    },
    /** What one delayed order is answered, and how long it was delayed. */
    async hold(): Promise<readonly [boolean, number]> {
      const sinceMs = nowMs;
      const isLetThrough = await health.untilLetThrough(() => nowMs - sinceMs);
      return [isLetThrough, nowMs - sinceMs];
    },
  };
}

function opened() {
  const provider = aProvider();
  provider.ignore(BREAKER_UNANSWERED_MIN);
  return provider;
}

describe('a slot within a workflow task', () => {
  it('is taken in a new process', () => {
    expect(aProvider().health.takeTaskSlot()).toBe(true);
  });

  it('is free again once it is released, and no more than the limit are in use', () => {
    const { health } = aProvider();
    const taken = Array.from({ length: PAYOUTS_IN_TASKS_MAX + 1 }, () => health.takeTaskSlot());
    expect(taken.filter(Boolean)).toHaveLength(PAYOUTS_IN_TASKS_MAX);
    expect(taken.at(-1)).toBe(false);
    health.releaseTaskSlot();
    expect([health.takeTaskSlot(), health.takeTaskSlot()]).toEqual([true, false]);
  });

  it.each([
    [SLOW_MS - 1, true],
    [SLOW_MS, false],
  ])('after an order that took %d ms is taken: %s', (durationMs, isTaken) => {
    const { health, answer } = aProvider();
    answer(durationMs);
    expect(health.takeTaskSlot()).toBe(isTaken);
  });

  it('is not taken after a slow order before enough fast ones in a row', () => {
    const { health, answer } = aProvider();
    answer(SLOW_MS);
    for (let n = 1; n < PROVIDER_FAST_ORDERS_MIN; n += 1) answer();
    expect(health.takeTaskSlot()).toBe(false);
    answer(SLOW_MS);
    for (let n = 1; n < PROVIDER_FAST_ORDERS_MIN; n += 1) answer();
    expect(health.takeTaskSlot()).toBe(false);
    answer();
    expect(health.takeTaskSlot()).toBe(true);
  });

  it('is not taken while the breaker is open, however fast the orders failed', () => {
    const { health } = opened();
    expect(health.takeTaskSlot()).toBe(false);
    health.record(true);
    expect(health.takeTaskSlot()).toBe(true);
  });
});

describe('the breaker', () => {
  it('is closed in a new process, and lets every order through at once', async () => {
    const { health, breaker, hold } = aProvider();
    expect(health.isBreakerOpen()).toBe(false);
    await expect(Promise.all([hold(), hold()])).resolves.toEqual([
      [true, 0],
      [true, 0],
    ]);
    expect(breaker).toEqual([]);
  });

  it.each([
    [BREAKER_UNANSWERED_MIN - 1, BREAKER_UNANSWERED_MIN - 1, false],
    [BREAKER_UNANSWERED_MIN, BREAKER_PAYERS_MIN - 1, false],
    [BREAKER_UNANSWERED_MIN * 10, 1, false],
    [BREAKER_UNANSWERED_MIN, BREAKER_PAYERS_MIN, true],
  ])('after %d unanswered first attempts from %d payers is open: %s', (count, payers, isOpen) => {
    const { health, breaker, ignore } = aProvider();
    ignore(count, payers);
    expect(health.isBreakerOpen()).toBe(isOpen);
    expect(breaker).toEqual(isOpen ? [true] : []);
  });

  it.each([
    ['an order', ({ answer }: ReturnType<typeof aProvider>) => answer()],
    ['a query', ({ health }: ReturnType<typeof aProvider>) => health.record(true)],
  ])('counts anew after an answer to %s', (_what, answered) => {
    const provider = aProvider();
    provider.ignore(BREAKER_UNANSWERED_MIN - 1);
    answered(provider);
    provider.ignore(1);
    expect(provider.health.isBreakerOpen()).toBe(false);
    provider.ignore(BREAKER_UNANSWERED_MIN - 1);
    expect(provider.health.isBreakerOpen()).toBe(true);
  });

  it('does not count the repeated orders of a payment', () => {
    const { health, ignore, ignoreRepeat } = aProvider();
    ignore(BREAKER_UNANSWERED_MIN - 1);
    ignoreRepeat();
    expect(health.isBreakerOpen()).toBe(false);
  });

  it.each([
    ['an order', ({ answer }: ReturnType<typeof aProvider>) => answer(SLOW_MS)],
    ['a query', ({ health }: ReturnType<typeof aProvider>) => health.record(true)],
  ])('closes at a complete answer to %s, and says so once', (_what, answered) => {
    const provider = opened();
    answered(provider);
    answered(provider);
    expect(provider.health.isBreakerOpen()).toBe(false);
    expect(provider.breaker).toEqual([true, false]);
  });

  it('that is open says so once', () => {
    const { breaker, ignore } = opened();
    ignore(BREAKER_UNANSWERED_MIN);
    expect(breaker).toEqual([true]);
  });

  it('that is open lets one first order a second through', async () => {
    const { hold } = opened();
    await expect(hold()).resolves.toEqual([true, 0]);
    await expect(hold()).resolves.toEqual([true, BREAKER_PROBE_EVERY_MS]);
    await expect(hold()).resolves.toEqual([true, BREAKER_PROBE_EVERY_MS]);
  });

  it('that closes lets a delayed order through', async () => {
    const { health, hold, whilePaused } = opened();
    await hold();
    whilePaused(() => health.record(true));
    await expect(hold()).resolves.toEqual([true, BREAKER_PROBE_EVERY_MS]);
    await expect(hold()).resolves.toEqual([true, 0]);
  });

  it('that stays open sends an order back that has been delayed for long enough', async () => {
    const { health, hold, whilePaused } = opened();
    await hold();
    // Another order takes each probe.
    const others: Promise<unknown>[] = [];
    const takeProbe = () => others.push(health.untilLetThrough(() => 0));
    for (let ms = 0; ms < HELD_MS; ms += BREAKER_PROBE_EVERY_MS) whilePaused(takeProbe);
    await expect(hold()).resolves.toEqual([false, HELD_MS]);
    await Promise.all(others);
  });
});
