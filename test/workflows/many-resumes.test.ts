// Many resume signals at once write the attention of a payment once (decision 104).
import { createLatch } from '../faults/live/latch';
import { remindPayment } from '../../src/temporal/payment-start';
import { withUnknownPayment } from './started-payment';

const SIGNALS = 20;

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
