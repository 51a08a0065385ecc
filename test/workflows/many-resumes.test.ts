// What resume signals write again: the attention that is open, and many at once write it once
// (decision 104).
import { createLatch } from '../faults/live/latch';
import { remindPayment } from '../../src/temporal/payment-start';
import { withPayment, withUnknownPayment } from './started-payment';

const SIGNALS = 20;

it('a resume signal does not write back attention that a status change has ended', () =>
  withPayment({ provider: ['unknown'] }, async (world) => {
    await world.stop('restore');
    await world.allow();
    await world.cancel();
    const open = () =>
      world.rows('select kind from attention where ended_at is null order by attention_id');
    await expect(open()).resolves.toEqual([{ kind: 'may_be_paid' }]);
    await world.confirmUntilUnknown();
    await expect(open()).resolves.toEqual([{ kind: 'payout_unknown' }]);
    await remindPayment(world.environment.client, world.payment);
    await world.environment.sleep('1 minute');
    await expect(open()).resolves.toEqual([{ kind: 'payout_unknown' }]);
    await world.workflow.terminate('the test is over');
  }));

it('most resume signals that come while the attention is written again do not write it', async () => {
  const [begun, free] = [createLatch(), createLatch()];
  let writes = 0;
  await withUnknownPayment(
    {
      wrap: (activities) => ({
        ...activities,
        async setAttention(...given) {
          writes += 1;
          if (writes === 2) {
            begun.open();
            await free.isOpen;
          }
          return activities.setAttention(...given);
        },
      }),
    },
    async ({ environment, payment, workflow }, provider) => {
      await remindPayment(environment.client, payment);
      await begun.isOpen;
      for (let sent = 0; sent < SIGNALS; sent += 1) {
        await remindPayment(environment.client, payment);
      }
      free.open();
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('captured');
    },
  );
  // A held write is repeated after two seconds.
  expect(writes).toBeLessThan(SIGNALS / 2);
});
