// `payctl intents close-lost` (docs/restore.md), by a process of its own as operations run it.
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { until } from '../../src/dev/until';
import { resumePayment } from '../../src/temporal/payment-start';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { runPayctl } from './payctl';

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

const EVIDENCE = ['--evidence', 'the provider has no such payout'];

const closeLost = ({ environment, url }: PaymentWorld, id: string) =>
  runPayctl({ url }, ['intents', 'close-lost', id, ...EVIDENCE, '--as', 'ann'], {
    TEMPORAL_ADDRESS: environment.address,
  });

it('ends the workflow of a lost row with who and why, and says that nothing was booked', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const payment = await world.create();
    const run = await world.start(payment);
    await world.database.query({ text: 'delete from payment_intents' });
    await resumePayment(world.environment.client, payment);
    await until(
      async () => {
        const { rows } = await world.database.query({ text: 'select from payout_stops' });
        return rows.length > 0;
      },
      { timeoutMs: 20_000 },
    );
    const ran = await closeLost(world, payment.intentId);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('Nothing was booked.');
    await expect(run.result()).rejects.toMatchObject({
      cause: { message: 'Closed by ann: the provider has no such payout' },
    });
  });
});

it('is refused where the row is there', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const payment = await world.create();
    await world.start(payment);
    const ran = await closeLost(world, payment.intentId);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain('has its row');
  });
});

it.each(['pi_00000000000000000000000000', 'pi_1'])(
  'is refused for %s, which has no workflow',
  async (id) => {
    await inPaymentWorld({ workflowBundle }, async (world) => {
      const ran = await closeLost(world, id);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
    });
  },
);
