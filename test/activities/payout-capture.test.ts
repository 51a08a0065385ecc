// The capture in the payout activity (decision 125): the activity returns it only if it has written
// it, and else leaves it to the workflow.
import type { PayoutOutcome } from '../../src/ports/payouts/provider';
import { recogniseErrorsOfNode } from '../support/builders';
import type { IntentId } from '../../src/domain/ids';
import type { TestBed } from '../support/builders';
import { CENTS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const PAID = { outcome: 'paid' };
const CAPTURE = { from: 'authorized', event: 'capture', actor: 'system' } as const;
const FAIL = { from: 'authorized', event: 'fail', actor: 'system' } as const;
const REFUND = { from: 'captured', event: 'refund', actor: 'ann' } as const;

const payouts = withPayouts();

/** Moves the row before the activity writes its capture. */
const moving =
  (...events: readonly (typeof CAPTURE | typeof FAIL | typeof REFUND)[]) =>
  async (bed: TestBed, intentId: IntentId) => {
    for (const event of events) await bed.intents.transition({ intentId, ...event });
  };

it.each(['payOutAtOnce', 'payOut'] as const)(
  'a capture is written by %s, and returned with its event',
  async (activity) => {
    const payout = await payouts.aPayout({});
    const { currentState } = payout;
    const result = await payout[activity]();
    expect(result).toMatchObject({ ...PAID, captured: await currentState() });
    expect(result).toMatchObject({
      captured: { status: 'captured', eventId: expect.stringMatching(/^evt_/) as string },
    });
  },
);

it.each([
  ['payOutAtOnce', ['record', 'pay th_qrpay', 'capture']],
  ['payOut', ['begin', 'find th_qrpay', 'capture']],
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

it.each<readonly [string, PayoutOutcome]>([
  ['declined', { outcome: 'declined', amountUsdCents: CENTS }],
  ['paid in another amount', { outcome: 'paid', amountUsdCents: CENTS + 1 }],
  ['pending', { outcome: 'pending', amountUsdCents: CENTS }],
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
  const { currentState, payOut } = await payouts.aPayout({ beforeCapture: moving(CAPTURE) });
  const result = await payOut();
  expect(result).toEqual({ ...PAID, captured: await currentState() });
});

it.each<readonly [string, Parameters<typeof payouts.aPayout>[0], string]>([
  ['Postgres is not reachable', { isRowUnreachable: true }, 'authorized'],
  [
    'it is written, but the answer of Postgres is lost',
    { isRowUnreachable: true, beforeCapture: moving(CAPTURE) },
    'captured',
  ],
  ['the row has failed', { beforeCapture: moving(FAIL) }, 'failed'],
  ['the row has been refunded since', { beforeCapture: moving(CAPTURE, REFUND) }, 'refunded'],
  ['the attempt took more than seven seconds', { delayedMs: 7_001 }, 'authorized'],
])(
  'payOut returns paid and leaves the capture to the workflow if %s',
  async (_what, options, status) => {
    const { currentState, payOut } = await payouts.aPayout(options);
    await expect(payOut()).resolves.toEqual(PAID);
    await expect(currentState()).resolves.toMatchObject({ status });
  },
);

it('a capture is still written by an attempt that took seven seconds', async () => {
  const { payOut } = await payouts.aPayout({ delayedMs: 7_000 });
  await expect(payOut()).resolves.toMatchObject({ captured: { status: 'captured' } });
});
