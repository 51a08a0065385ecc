// A workflow's timer proposes to expire an intent; Postgres' clock decides (decision 15).
import { inPaymentWorld } from '../support/payment-world';
import { move } from '../support/builders';
import { withPayment } from './started-payment';

describe('the workflow of a created intent', () => {
  it('expires it only once the deadline is due by the clock of Postgres', async () => {
    let attempts = 0;
    await withPayment(
      {
        wrap: (activities, setClock) => ({
          ...activities,
          recordTransition: async (command) => {
            attempts += 1;
            // The first attempt comes minutes after the deadline, but before it by Postgres' clock.
            if (attempts === 1) await setClock(-700_000);
            return activities.recordTransition(command);
          },
        }),
      },
      async ({ workflow }) => {
        await expect(workflow.result()).resolves.toBe('expired');
        expect(attempts).toBe(2);
      },
    );
  });

  it('adopts a row that was authorized before it started, and settles it', () =>
    inPaymentWorld({ isProviderTruthful: true }, async (world) => {
      const payment = await world.create();
      await move(world, payment.intentId, 'authorize');
      const workflow = await world.start(payment);
      await expect(workflow.result()).resolves.toBe('captured');
      expect(world.sent).toHaveLength(1);
    }));
});
