// "`created` expires after `INTENT_TTL_SECONDS`, by timer; one clock decides" (decision 15), under time skipping.
import { inPaymentWorld } from '../support/payment-world';
import { move } from '../support/builders';
import { withPayment } from './started-payment';

describe('the deadline of an intent', () => {
  it('waits the rest when the clock of Postgres says that the deadline is not due yet', async () => {
    let proposals = 0;
    await withPayment(
      {
        wrap: (activities, setClock) => ({
          ...activities,
          recordTransition: async (command) => {
            proposals += 1;
            // The first proposal comes minutes after the deadline, while Postgres believes itself before it.
            if (proposals === 1) await setClock(-700_000);
            return activities.recordTransition(command);
          },
        }),
      },
      async ({ run }) => {
        await expect(run.result()).resolves.toBe('expired');
        expect(proposals).toBe(2);
      },
    );
  });

  it('adopts a row that was authorized before everything died, and settles it', () =>
    inPaymentWorld({ isProviderTruthful: true }, async (world) => {
      const payment = await world.create();
      await move(world, payment.intentId, 'authorize');
      const run = await world.start(payment);
      await expect(run.result()).resolves.toBe('captured');
      expect(world.sent).toHaveLength(1);
    }));
});
