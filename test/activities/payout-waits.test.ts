// Payouts through a provider that was slow or silent lately: they wait in slots of their own, and
// nothing is sent while the breaker is open but one first order a second.
import { BREAKER_UNANSWERED_MIN, PAYOUTS_IN_TASKS_MAX } from '../../src/domain/payouts/limits';
import type { ProviderHealth } from '../../src/domain/payouts/provider-health';
import { recogniseErrorsOfNode } from '../support/builders';
import { recordSilent, recordSlow } from '../support/payments/provider-health';
import { ANSWERS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const { declined, notFound, paid, unknown } = ANSWERS;
const DELAYED = { type: 'PayoutDelayed', nonRetryable: false };
const QUERIED = ['begin', 'find th_qrpay'];
const SENT = ['begin', 'record', 'pay th_qrpay'];

const payouts = withPayouts();
const namesOf = (calls: readonly (readonly [string, unknown])[]) => calls.map(([what]) => what);

describe('a payout within a workflow task', () => {
  it.each([
    ['the provider was slow', recordSlow],
    ['the breaker is open', recordSilent],
    ['all slots are in use', (health: ProviderHealth) => takeSlots(health)],
  ])('is not sent if %s, and writes nothing', async (_why, happened) => {
    const { calls, health, payOutAtOnce } = await payouts.aPayout({});
    happened(health);
    await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'not_sent' });
    expect(calls).toEqual([]);
  });

  it.each([
    ['it is paid', {}],
    ['the row allows none', { row: 'failed' }],
    ['it cannot be recorded', { isJournalUnreachable: true }],
  ] as const)('releases its slot when %s', async (_how, options) => {
    const { health, payOutAtOnce } = await payouts.aPayout(options);
    await payOutAtOnce().catch(() => undefined);
    // Its answer was fast, so all slots are free.
    expect(takeSlots(health)).toBe(PAYOUTS_IN_TASKS_MAX);
  });
});

describe('a first attempt', () => {
  it('sends without a query', async () => {
    const { calls, payOut } = await payouts.aPayout({});
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    expect(namesOf(calls)).toEqual(SENT);
  });

  it.each([
    ['its debit is older than 2 s', 2.001, {}],
    ['an earlier request may have been forgotten', 0, { mayHaveBeenSent: true }],
  ])('queries if %s', async (_why, seconds, request) => {
    const { calls, payOut } = await payouts.aPayout({ find: paid });
    await payouts.setSecondsAfterNoon(seconds);
    await expect(payOut(request)).resolves.toMatchObject({ outcome: 'paid' });
    expect(namesOf(calls)).toEqual(QUERIED);
  });

  it('without an answer is followed by a query', async () => {
    const { calls, payOut } = await payouts.aPayout({ pay: unknown, find: notFound });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(namesOf(calls)).toEqual([...SENT, ...QUERIED]);
  });

  it.each([true, false])(
    'returns declined, and whether the endpoint is fast: %s',
    async (isEndpointFast) => {
      const { payOut } = await payouts.aPayout({ pay: declined, isEndpointFast });
      await expect(payOut()).resolves.toEqual({ outcome: 'declined', isEndpointFast });
    },
  );
});

describe('while the breaker is open', () => {
  it('a payout that has not begun is delayed, not sent, and tried again', async () => {
    const { calls, begun, health, payOut } = await payouts.aPayout({});
    recordSilent(health);
    await takeProbe(health);
    await expect(payOut()).rejects.toMatchObject(DELAYED);
    expect(calls).toEqual([begun]);
    health.record(true);
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    expect(namesOf(calls)).toEqual(['begin', ...SENT]);
  });

  it('one payout a second is sent, and its answer closes the breaker', async () => {
    const { calls, health, payOut } = await payouts.aPayout({});
    recordSilent(health);
    await expect(payOut()).resolves.toMatchObject({ outcome: 'paid' });
    expect(namesOf(calls)).toEqual(['begin', ...SENT]);
    expect(health.isBreakerOpen()).toBe(false);
  });

  it('a payout that has begun is queried, and the answer closes the breaker', async () => {
    const { calls, health, payOut } = await payouts.aPayout({ sentSecondsAgo: 1, find: notFound });
    recordSilent(health);
    await takeProbe(health);
    await expect(payOut()).rejects.toMatchObject({ type: 'PayoutUnknown' });
    expect(namesOf(calls)).toEqual(QUERIED);
    expect(health.isBreakerOpen()).toBe(false);
  });

  it('a payout that its row does not allow is not delayed', async () => {
    const { calls, begun, health, payOut } = await payouts.aPayout({ row: 'failed' });
    recordSilent(health);
    await takeProbe(health);
    await expect(payOut()).resolves.toEqual({ outcome: 'not_authorized' });
    expect(calls).toEqual([begun]);
  });
});

describe('the breaker opens', () => {
  it.each(['payOutAtOnce', 'payOut'] as const)(
    'at the unanswered first order of %s that is one too many',
    async (activity) => {
      const payout = await payouts.aPayout({ pay: unknown });
      recordSilent(payout.health, BREAKER_UNANSWERED_MIN - 1);
      await payout[activity]().catch(() => undefined);
      expect(payout.health.isBreakerOpen()).toBe(true);
    },
  );

  it('at an unanswered query of a first attempt that came late', async () => {
    const { health, payOut } = await payouts.aPayout({ find: unknown });
    await payouts.setSecondsAfterNoon(2.001);
    recordSilent(health, BREAKER_UNANSWERED_MIN - 1);
    await payOut().catch(() => undefined);
    expect(health.isBreakerOpen()).toBe(true);
  });

  it('at no later attempt', async () => {
    const { health, payOut } = await payouts.aPayout({ sentSecondsAgo: 6, find: unknown });
    recordSilent(health, BREAKER_UNANSWERED_MIN - 1);
    await payOut().catch(() => undefined);
    expect(health.isBreakerOpen()).toBe(false);
  });
});

/** Takes all slots that are free, and returns how many they were. */
function takeSlots(health: ProviderHealth): number {
  for (let taken = 0; ; taken += 1) if (!health.takeTaskSlot()) return taken;
}

/** Another payout is let through. The breaker's second lasts for the rest of the test. */
async function takeProbe(health: ProviderHealth): Promise<void> {
  await health.untilLetThrough(() => 0);
}
