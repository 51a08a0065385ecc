// The capture that goes with the payout (decision 125): written by the activity that knows it is paid, told only when it is
// written, and else left to the run.
import type { PayoutOutcome } from '../../src/ports/payouts/provider';
import { recogniseErrorsOfNode } from '../support/builders';
import type { IntentId } from '../../src/domain/ids';
import type { TestBed } from '../support/builders';
import { CENTS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const PAID = { outcome: 'paid' };
const CAPTURE = { from: 'authorized', event: 'capture', actor: 'system' } as const;
const FAIL = { from: 'authorized', event: 'fail', actor: 'system' } as const;
const REFUND = { from: 'captured', event: 'refund', actor: 'somebody' } as const;

const payouts = withPayouts();

/** What becomes of the row while the provider is asked. */
const moved =
  (...events: readonly (typeof CAPTURE | typeof FAIL | typeof REFUND)[]) =>
  async (bed: TestBed, intentId: IntentId) => {
    for (const event of events) await bed.intents.transition({ intentId, ...event });
  };

it.each(['payOutAtOnce', 'payOut'] as const)(
  'is written by %s, and returned with its event',
  async (activity) => {
    const payout = await payouts.aPayout({});
    const { standing } = payout;
    const result = await payout[activity]();
    expect(result).toMatchObject({ ...PAID, captured: await standing() });
    expect(result).toMatchObject({
      captured: { status: 'captured', eventId: expect.stringMatching(/^evt_/) as string },
    });
  },
);

it.each([
  ['payOutAtOnce', ['record', 'pay th_qrpay', 'capture']],
  ['payOut', ['begin', 'find th_qrpay', 'capture']],
] as const)('is written by %s after the provider has said paid', async (activity, expected) => {
  const payout = await payouts.aPayout({});
  await payout[activity]();
  expect(payout.steps.map(([what]) => what)).toEqual(expected);
});

it.each([
  ['once attention is raised, since an operator may decide meanwhile', { isAttentionRaised: true }],
  ['where the row was created at another time than the workflow knows', { createdAtMs: 1 }],
])('is left to the workflow %s', async (_when, request) => {
  const { standing, payOut } = await payouts.aPayout({});
  await expect(payOut(request)).resolves.toEqual(PAID);
  await expect(standing()).resolves.toMatchObject({ status: 'authorized' });
});

it.each<readonly [string, PayoutOutcome]>([
  ['declined', { outcome: 'declined', amountUsdCents: CENTS }],
  ['paid in another amount', { outcome: 'paid', amountUsdCents: CENTS + 1 }],
  ['pending', { outcome: 'pending', amountUsdCents: CENTS }],
  ['unknown', { outcome: 'unknown', cause: 'timeout after 5 s' }],
])('is not written when the payout is %s', async (_what, pay) => {
  const { steps, standing, payOut, payOutAtOnce } = await payouts.aPayout({ pay, find: pay });
  await payOutAtOnce();
  await payOut().catch(() => undefined);
  const expected = ['record', 'pay th_qrpay', 'begin', 'find th_qrpay'];
  expect(steps.map(([what]) => what)).toEqual(expected);
  await expect(standing()).resolves.toMatchObject({ status: 'authorized' });
});

it('is told as well when it was written by an attempt whose answer was lost', async () => {
  const { standing, payOut } = await payouts.aPayout({
    meanwhile: moved(CAPTURE),
  });
  const told = await payOut();
  expect(told).toEqual({ ...PAID, captured: await standing() });
});

it.each<readonly [string, Parameters<typeof payouts.aPayout>[0], string]>([
  ['Postgres is away', { isRowAway: true }, 'authorized'],
  [
    'it is written and nobody was told so',
    { isRowAway: true, meanwhile: moved(CAPTURE) },
    'captured',
  ],
  ['the row says otherwise', { meanwhile: moved(FAIL) }, 'failed'],
  ['it has been refunded since', { meanwhile: moved(CAPTURE, REFUND) }, 'refunded'],
  ['the worker was held up for too long', { heldUpMs: 7_001 }, 'authorized'],
])('is left to the run, which is told that it is paid, where %s', async (_what, wish, status) => {
  const { standing, payOut } = await payouts.aPayout(wish);
  await expect(payOut()).resolves.toEqual(PAID);
  await expect(standing()).resolves.toMatchObject({ status });
});

it('is written still by an attempt that took seven seconds', async () => {
  const { payOut } = await payouts.aPayout({ heldUpMs: 7_000 });
  await expect(payOut()).resolves.toMatchObject({ captured: { status: 'captured' } });
});
