// The first attempt at a payout, within the task that authorizes the payment: it sends once, and without a query.
import { recogniseErrorsOfNode } from '../support/builders';
import { ANSWERS, withPayouts } from './payout-world';

recogniseErrorsOfNode();

const PAID = { outcome: 'paid' };

const { declined, notFound, pending, unknown } = ANSWERS;

const payouts = withPayouts();

describe('an attempt at once', () => {
  it('is recorded before it is sent, under the key of intent and step', async () => {
    const { asked, recorded, order, payOutAtOnce } = await payouts.aPayout({});
    await expect(payOutAtOnce()).resolves.toMatchObject(PAID);
    expect(asked).toEqual([recorded, ['pay th_qrpay', order]]);
    expect(order.key).toBe(`${recorded[1]}:payout`);
  });

  it.each([
    ['the row allows no payout', { standing: 'not_authorized' }],
    ['it was sent before', { sentSecondsAgo: 20 }],
  ] as const)('sends nothing when %s', async (_why, wish) => {
    const { asked, recorded, payOutAtOnce } = await payouts.aPayout(wish);
    await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'not_sent' });
    expect(asked).toEqual([recorded]);
  });

  it.each([true, false])(
    'that is declined is an answer, with whether the endpoint is fast: %s',
    async (isEndpointFast) => {
      const { payOutAtOnce } = await payouts.aPayout({ pay: declined, isEndpointFast });
      await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'declined', isEndpointFast });
    },
  );

  it.each([
    ['unknown', unknown],
    ['pending', pending],
  ])('of %s outcome is undecided', async (_what, pay) => {
    const { payOutAtOnce } = await payouts.aPayout({ pay });
    await expect(payOutAtOnce()).resolves.toEqual({ outcome: 'undecided' });
  });

  it('that is sent is not sent again for six seconds', async () => {
    const { asked, payOut, payOutAtOnce } = await payouts.aPayout({ pay: unknown, find: notFound });
    await payOutAtOnce();
    await expect(payOut({ mayHaveBeenSent: true })).rejects.toMatchObject({
      type: 'PayoutUnknown',
    });
    expect(asked.filter(([what]) => what === 'pay th_qrpay')).toHaveLength(1);
  });
});
