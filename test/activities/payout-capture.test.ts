// The capture in the payout activity (decision 125). The workflow adopts what the local activity
// returns, and reads the rest from the row (decision 145).
import type { QueryAnswer } from '../../src/ports/payout-provider';
import { DECLINED, paidIn, PENDING } from '../support/payments/answers';
import { move, recogniseErrorsOfNode } from '../support/builders';
import type { IntentId } from '../../src/domain/ids';
import type { TestBed } from '../support/builders';
import { CENTS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const PAID = { outcome: 'paid', isEndpointFast: false };
/** An attempt that queries: it learns of a payment also where it is too late to send. */
const LATER = { sentSecondsAgo: 6 };

const payouts = withPayouts();

/** Moves the row before the activity writes its capture. */
const moving =
  (...events: readonly ('capture' | 'fail' | 'refund')[]) =>
  async (bed: TestBed, intentId: IntentId) => {
    for (const event of events) await move(bed, intentId, event);
  };

it('a capture is written by payOutAtOnce, and returned with its event', async () => {
  const payout = await payouts.aPayout({});
  const { currentState } = payout;
  const result = await payout.payOutAtOnce();
  expect(result).toMatchObject({ ...PAID, captured: await currentState() });
  expect(result).toMatchObject({
    captured: { status: 'captured', eventId: expect.stringMatching(/^evt_/) as string },
  });
});

it('a capture is written by payOut', async () => {
  const { payOut, currentState } = await payouts.aPayout({});
  await expect(payOut()).resolves.toMatchObject(PAID);
  await expect(currentState()).resolves.toMatchObject({ status: 'captured' });
});

it.each([
  ['payOutAtOnce', ['record', 'pay th_qrpay', 'capture']],
  ['payOut', ['begin', 'record', 'pay th_qrpay', 'capture']],
] as const)(
  'a capture is written by %s after the provider has answered paid',
  async (activity, expected) => {
    const payout = await payouts.aPayout({});
    await payout[activity]();
    expect(payout.steps.map(([what]) => what)).toEqual(expected);
  },
);

it.each([
  [
    'once attention is raised, because an operator may resolve it meanwhile',
    { isAttentionRaised: true },
  ],
  ['if the row was created at another time than the workflow knows', { createdAtMs: 1 }],
])('a capture is left to the workflow %s', async (_when, request) => {
  const { currentState, payOut } = await payouts.aPayout({});
  await expect(payOut(request)).resolves.toEqual(PAID);
  await expect(currentState()).resolves.toMatchObject({ status: 'authorized' });
});

it.each<readonly [string, QueryAnswer]>([
  ['declined', DECLINED],
  ['paid in another amount', paidIn(CENTS + 1)],
  ['pending', PENDING],
  ['unknown', { outcome: 'unknown', cause: 'timeout after 5 s' }],
])('no capture is written when the payout is %s', async (_what, pay) => {
  const { steps, currentState, payOut, payOutAtOnce } = await payouts.aPayout({ pay, find: pay });
  await payOutAtOnce();
  await payOut().catch(() => undefined);
  const expected = ['record', 'pay th_qrpay', 'begin', 'find th_qrpay'];
  expect(steps.map(([what]) => what)).toEqual(expected);
  await expect(currentState()).resolves.toMatchObject({ status: 'authorized' });
});

it('a capture is returned too if an earlier attempt wrote it and lost its result', async () => {
  const { currentState, payOutAtOnce } = await payouts.aPayout({
    beforeCapture: moving('capture'),
  });
  const result = await payOutAtOnce();
  expect(result).toMatchObject({ captured: await currentState() });
});

it.each<readonly [string, Parameters<typeof payouts.aPayout>[0], string]>([
  ['the row has failed', { beforeCapture: moving('fail') }, 'failed'],
  ['the row has been refunded since', { beforeCapture: moving('capture', 'refund') }, 'refunded'],
])(
  'payOutAtOnce returns paid and leaves the capture to the workflow if %s',
  async (_what, options, status) => {
    const { currentState, answered, payOutAtOnce } = await payouts.aPayout(options);
    await expect(payOutAtOnce()).resolves.toEqual({ ...PAID, isEndpointFast: false });
    await expect(currentState()).resolves.toMatchObject({ status });
    expect(answered).toEqual(['paid']);
  },
);

it.each<readonly [string, Parameters<typeof payouts.aPayout>[0], string]>([
  ['Postgres is not reachable', {}, 'authorized'],
  [
    'it is written, but the answer of Postgres is lost',
    { beforeCapture: moving('capture') },
    'captured',
  ],
])('payOut fails and is repeated if a capture fails: %s', async (_what, options, status) => {
  const { currentState, payOut } = await payouts.aPayout({ ...options, isRowUnreachable: true });
  await expect(payOut()).rejects.toThrow('postgres_unavailable');
  await expect(currentState()).resolves.toMatchObject({ status });
});

it.each([
  ['is still written', 7_000, 'captured'],
  ['is left to the workflow', 7_001, 'authorized'],
])('a capture %s by an attempt that took %d ms', async (_what, delayedMs, status) => {
  const { payOut, currentState } = await payouts.aPayout({ ...LATER, delayedMs });
  await expect(payOut()).resolves.toMatchObject(PAID);
  await expect(currentState()).resolves.toMatchObject({ status });
});
