// A row that ended otherwise than its run knows: nothing is overwritten, and it says itself that people must look (architecture,
// section 3, rule R1).
import { bundleWorkflowCode } from '@temporalio/worker';
import { inPaymentWorld, type WorldOptions } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';

it('a payout that is paid beside a row that has failed is captured by nobody, and its row says that people must look', async () => {
  quietTemporal();
  const workflowBundle = await bundleWorkflowCode(workflowsToTest);
  await inPaymentWorld({ workflowBundle, wrap: failedMeanwhile }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    await expect(world.confirm(payment)).resolves.toEqual({ status: 'authorized' });
    const { rows } = await world.database.query({
      text: 'select status, attention_reason, attention_since from payment_intents',
    });
    expect(rows).toEqual([
      {
        status: 'failed',
        attention_reason: "capture is due, but the intent's row says failed.",
        attention_since: expect.any(Date) as unknown,
      },
    ]);
  });
});

const failedMeanwhile: NonNullable<WorldOptions['wrap']> = (activities) => ({
  ...activities,
  async payOut(request) {
    const { intentId } = request;
    // Once attention is raised the workflow writes the capture.
    const result = await activities.payOut({ ...request, isAttentionRaised: true });
    const fail = { intentId, from: 'authorized', event: 'fail', actor: 'system' } as const;
    await activities.recordTransition(fail);
    return result;
  },
});
