// `payctl intents resume` and `close-lost` (docs/restore.md): a workflow that is gone is started
// again, but never one that has completed; the workflow of a lost row can be closed.
import { workflowGone } from '../../../src/domain/intents/attention';
import { paidIn } from '../../support/payments/answers';
import { inPaymentWorld, withPaymentWorld, type PaymentWorld } from '../../support/payment-world';
import { expectRejected, rejection, runPayctl, textOf } from '../../support/programs/payctl';
import { move } from '../../support/builders';
import { until } from '../../../src/dev/until';
import { resumePayment } from '../../../src/temporal/payment-start';

const SOON = { timeoutMs: 20_000 };
const OTHER_AMOUNT = paidIn(1);

const world = withPaymentWorld();
const intents = (...words: readonly string[]) =>
  runPayctl(world, ['intents', ...words], { TEMPORAL_ADDRESS: world.environment.address });

/** No trigger runs, and rows that refer to it stay. */
function changeRowAlone({ database }: PaymentWorld, text: string, intentId: string): Promise<void> {
  return database.inTransaction(async (connection) => {
    await connection.query({ text: 'set local session_replication_role = replica' });
    await connection.query({ text, values: [intentId] });
  });
}

describe('payctl intents resume', () => {
  it('starts the terminated workflow of an authorized payment again', async () => {
    const { intentId, ...payment } = await world.create();
    const workflow = await world.start({ intentId, ...payment });
    await workflow.terminate('an operator');
    await move(world, intentId, 'authorize');
    const ran = await intents('resume', intentId);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const next = world.environment.client.workflow.getHandle(intentId);
    await expect(next.result()).resolves.toBe('captured');
  });

  it('and confirm start nothing beside a completed workflow', async () => {
    const payment = await world.create();
    const { intentId } = payment;
    const workflow = await world.start(payment);
    await world.confirm(payment);
    await workflow.result();
    await restoreToBeforeTheConfirm(intentId);
    for (const options of [['resume'], ['confirm', '--reason', 'they called']]) {
      const [command = '', ...more] = options;
      expect(await intents(command, intentId, ...more)).toEqual(
        rejection(
          'The workflow of this payment has completed, but its row is open: a database was restored. No other workflow can start while the completed one exists. See docs/restore.md. Nothing was changed.',
        ),
      );
    }
    await world.intents.setAttention(intentId, workflowGone('created'));
    expectRejected(await intents('resume', intentId, '--after-restore'), 1, 'Nothing was changed.');
    await expect(world.intents.isWorkflowGone(intentId)).resolves.toBe(true);
    expect(world.sent.filter(({ key }) => key === `${intentId}:payout`)).toHaveLength(1);
  });

  it.each([
    ['resume', 'Once you have compared, --after-restore starts one.', []],
    [
      'resolve',
      'Only "payctl intents resume --after-restore" starts one, where that page says so.',
      ['--outcome', 'paid', '--evidence', 'their statement'],
    ],
  ])(
    '%s starts none if one had completed, even if Temporal no longer has it',
    async (command, next, options) => {
      const { intentId } = await world.create();
      await move(world, intentId, 'authorize');
      await world.intents.setAttention(intentId, workflowGone('authorized'));
      expectRejected(
        await intents(command, intentId, ...options),
        1,
        `another workflow may pay a payment that was reported as failed. See docs/restore.md. ${next}`,
      );
      const workflow = world.environment.client.workflow.getHandle(intentId);
      await expect(workflow.describe()).rejects.toThrow(/not found/i);
    },
  );

  const restoreToBeforeTheConfirm = (intentId: string) =>
    changeRowAlone(
      world,
      `update payment_intents set status = 'created', captured_at = null where intent_id = $1`,
      intentId,
    );
});

// A lost row stops all payouts, so these tests come last.
describe('payctl intents close-lost', () => {
  const closeLost = (id: string) =>
    intents('close-lost', id, '--evidence', 'the provider has no such payout', '--as', 'ann');

  it('is rejected while the row exists, and for an id without a workflow', async () => {
    const payment = await world.create();
    await world.start(payment);
    expectRejected(await closeLost(payment.intentId), 1, 'has its row');
    for (const id of ['pi_00000000000000000000000000', 'pi_1']) {
      expectRejected(await closeLost(id), 1, /^payctl: /);
    }
  });

  it('ends the workflow of a lost row, and says that nothing was booked', async () => {
    const payment = await world.create();
    const { intentId } = payment;
    const workflow = await world.start(payment);
    await world.rows('delete from payment_intents where intent_id = $1', intentId);
    await resumePayment(world.environment.client, payment);
    await until(async () => (await world.rows('select from payout_stops')).length > 0, SOON);
    expect(textOf(await closeLost(intentId))).toContain('Nothing was booked.');
    await expect(workflow.result()).rejects.toMatchObject({
      cause: { message: 'Closed by ann: the provider has no such payout' },
    });
  });

  it('prints a signal that wakes a workflow which waits after an amount mismatch', () =>
    inPaymentWorld({ provider: [OTHER_AMOUNT] }, async (other) => {
      const payment = await other.create();
      const workflow = await other.start(payment);
      await other.confirmAndWait(payment, '20 minutes');
      const { intentId } = payment;
      await changeRowAlone(other, 'delete from payment_intents where intent_id = $1', intentId);
      const close = () =>
        runPayctl(other, ['intents', 'close-lost', intentId, '--evidence', 'their word'], {
          TEMPORAL_ADDRESS: other.environment.address,
        });
      const { stderr } = await close();
      const [, name = '', input = 'null'] = /--name (\w+)(?: --input '(.+)')?/.exec(stderr) ?? [];
      await workflow.signal(name, JSON.parse(input));
      await expect(until(async () => (await close()).code === 0, SOON)).resolves.toBe(true);
    }));
});
