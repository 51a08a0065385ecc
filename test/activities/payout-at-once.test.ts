// The first attempt at a payout, within the task that authorizes the payment: it sends once,
// without a query.
import { recogniseErrorsOfNode } from '../support/builders';
import { ANSWERS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const PAID = { outcome: 'paid' };

const { declined, notFound, pending, unknown } = ANSWERS;

const payouts = withPayouts();

describe('the attempt in the task that authorizes', () => {
  it('is recorded before it is sent, under the key of intent and step', async () => {
    const { calls, recorded, order, payOutAtOnce } = await payouts.aPayout({});
    await expect(payOutAtOnce()).resolves.toMatchObject(PAID);
    expect(calls).toEqual([recorded, ['pay th_qrpay', order]]);
    expect(order.key).toBe(`${recorded[1]}:payout`);
  });

  it.each([
    ['the row allows no payout', { row: 'failed' }],
    ['it was sent before', { sentSecondsAgo: 20 }],
  ] as const)('sends nothing when %s', async (_why, options) => {
    const { calls, recorded, payOutAtOnce } = await payouts.aPayout(options);
    await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'not_sent' });
    expect(calls).toEqual([recorded]);
  });

  it.each([true, false])(
    'returns declined, and whether the endpoint is fast: %s',
    async (isEndpointFast) => {
      const { payOutAtOnce } = await payouts.aPayout({ pay: declined, isEndpointFast });
      await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'declined', isEndpointFast });
    },
  );

  it.each([
    ['unknown', unknown],
    ['pending', pending],
  ])('is undecided if the provider answers %s', async (_what, pay) => {
    const { payOutAtOnce } = await payouts.aPayout({ pay });
    await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'undecided' });
  });

  it('is not sent again for six seconds', async () => {
    const { calls, payOut, payOutAtOnce } = await payouts.aPayout({ pay: unknown, find: notFound });
    await payOutAtOnce();
    await expect(payOut({ mayHaveBeenSent: true })).rejects.toMatchObject({
      type: 'PayoutUnknown',
    });
    expect(calls.filter(([what]) => what === 'pay th_qrpay')).toHaveLength(1);
  });
});
