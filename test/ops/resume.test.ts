// `payctl intents resume` (docs/operations.md; docs/restore.md): a run that is gone is started again, one that has completed
// never is.
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { runHasCompleted } from '../../src/domain/completed-run';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { quietTemporal, workflowsToTest } from '../support/quiet-temporal';
import { runPayctl } from './payctl';

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await bundleWorkflowCode(workflowsToTest);
});

/** By a process of its own, as operations do. */
const payctl = ({ environment, url }: PaymentWorld, ...words: readonly string[]) =>
  runPayctl({ url }, ['intents', ...words], { TEMPORAL_ADDRESS: environment.address });

it('starts the run of an authorized payment that was terminated, which goes on to its end', async () => {
  await inPaymentWorld({ workflowBundle }, async (world) => {
    const { intentId, ...payment } = await world.create();
    const run = await world.start({ intentId, ...payment });
    await run.terminate('an operator');
    await world.intents.transition({
      intentId,
      from: 'created',
      event: 'authorize',
      actor: 'test',
    });
    const ran = await payctl(world, 'resume', intentId);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const next = world.environment.client.workflow.getHandle(intentId);
    await expect(next.result()).resolves.toBe('captured');
  });
});

it.each([['resume'], ['confirm', '--reason', 'they called']])(
  '%s starts nothing beside a run that has completed, and says where to read on',
  async (command, ...options) => {
    await inPaymentWorld({ workflowBundle }, async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await world.confirm(payment);
      await run.result();
      await restoredToBeforeTheConfirm(world);
      const ran = await payctl(world, command, payment.intentId, ...options);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toBe(
        'payctl: The run of this payment has completed, and its row is open: a database was restored. No other can begin while that run is there. See docs/restore.md. Nothing was changed.\n',
      );
      expect(world.sent).toHaveLength(1);
    });
  },
);

it.each([
  ['resume', 'Once you have compared, --after-restore begins one.', []],
  [
    'resolve',
    'Only --after-restore of resume begins one, where that page says so.',
    ['--outcome', 'paid', '--evidence', 'their statement'],
  ],
])(
  '%s begins none where one had completed, also when Temporal has forgotten it',
  async (command, next, options) => {
    await inPaymentWorld({ workflowBundle }, async (world) => {
      const { intentId } = await world.create();
      await world.intents.transition({
        intentId,
        from: 'created',
        event: 'authorize',
        actor: 'test',
      });
      await world.intents.setAttention(intentId, runHasCompleted('authorized'));
      const ran = await payctl(world, command, intentId, ...options);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toContain(`Another run may pay it. See docs/restore.md. ${next}`);
      const run = world.environment.client.workflow.getHandle(intentId);
      await expect(run.describe()).rejects.toThrow(/not found/i);
    });
  },
);

async function restoredToBeforeTheConfirm({ database }: PaymentWorld): Promise<void> {
  await database.query({
    text: 'alter table payment_intents disable trigger payment_intents_status_is_told',
  });
  await database.query({
    text: `update payment_intents set status = 'created', captured_at = null`,
  });
}
