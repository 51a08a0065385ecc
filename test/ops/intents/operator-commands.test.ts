// `payctl intents resume` (docs/operations.md; docs/restore.md): a run that is gone is started again, one that has completed
// never is.
import { workflowHasCompleted } from '../../../src/domain/intents/completed-workflow';
import {
  withPaymentWorld,
  type PaymentWorld,
  type WorldOptions,
} from '../../support/payment-world';
import { expectRejected, rejection, runPayctl, textOf } from '../../support/programs/payctl';
import { move } from '../../support/builders';
import { resolvePayout } from '../../../src/ops/intents/operator-actions';
import type { Resolution } from '../../../workflows/messages/messages';
import { declared, EVIDENCE, whileHeld, withUnknownPayment } from '../../workflows/started-payment';
import { until } from '../../../src/dev/until';
import { resumePayment } from '../../../src/temporal/payment-start';

const world = withPaymentWorld();
const intents = (...words: readonly string[]) =>
  runPayctl(world, ['intents', ...words], { TEMPORAL_ADDRESS: world.environment.address });

describe('payctl intents resume', () => {
  it('starts the run of an authorized payment that was terminated, which goes on to its end', async () => {
    const { intentId, ...payment } = await world.create();
    const run = await world.start({ intentId, ...payment });
    await run.terminate('an operator');
    await move(world, intentId, 'authorize');
    const ran = await intents('resume', intentId);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const next = world.environment.client.workflow.getHandle(intentId);
    await expect(next.result()).resolves.toBe('captured');
  });

  it('and confirm start nothing beside a run that has completed, and say where to read on', async () => {
    const payment = await world.create();
    const { intentId } = payment;
    const run = await world.start(payment);
    await world.confirm(payment);
    await run.result();
    await restoreToBeforeTheConfirm(intentId);
    for (const options of [['resume'], ['confirm', '--reason', 'they called']]) {
      const [command = '', ...more] = options;
      expect(await intents(command, intentId, ...more)).toEqual(
        rejection(
          'The run of this payment has completed, and its row is open: a database was restored. No other can begin while that run is there. See docs/restore.md. Nothing was changed.',
        ),
      );
    }
    expect(world.sent.filter(({ key }) => key === `${intentId}:payout`)).toHaveLength(1);
  });

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
      const { intentId } = await world.create();
      await move(world, intentId, 'authorize');
      await world.intents.setAttention(intentId, workflowHasCompleted('authorized'));
      expectRejected(
        await intents(command, intentId, ...options),
        1,
        `Another run may pay it. See docs/restore.md. ${next}`,
      );
      const run = world.environment.client.workflow.getHandle(intentId);
      await expect(run.describe()).rejects.toThrow(/not found/i);
    },
  );

  /** The row alone, without what its triggers would do about it. */
  const restoreToBeforeTheConfirm = (intentId: string) =>
    world.database.inTransaction(async (connection) => {
      await connection.query({ text: 'set local session_replication_role = replica' });
      await connection.query({
        text: `update payment_intents set status = 'created', captured_at = null where intent_id = $1`,
        values: [intentId],
      });
    });
});

// `payctl intents resolve` (docs/operations.md): what was declared is in force when it returns, and otherwise it says by whom
// the payment was ended.
describe('payctl intents resolve', () => {
  const NOWHERE = { url: 'postgres://postgres@127.0.0.1:1/postgres' };

  const resolve = (
    { database, environment }: Pick<PaymentWorld, 'database' | 'environment'>,
    id: string,
    resolution: Resolution,
  ) =>
    resolvePayout(
      { database, client: environment.client, deadline: AbortSignal.timeout(20_000) },
      id,
      resolution,
    );

  it('ends the payment as declared, with the evidence in its audit trail', () =>
    withUnknownPayment({}, async (world) => {
      const { payment } = world;
      const story = await resolve(world, payment.intentId, declared('paid'));
      expect(story.status).toBe('captured');
      expect(story.transitions.at(-1)).toMatchObject({
        actor: 'ann',
        reason: `resolved: ${EVIDENCE}`,
      });
    }));

  it('ends a payment whose payout was not begun, since all are stopped, and whose attention nobody was asked for', () =>
    whileHeld(['not_found'], async (world) => {
      const story = await resolve(world, world.payment.intentId, declared('declined'));
      expect(story).toMatchObject({ status: 'failed', payout: null, attention_reason: null });
    }));

  it('warns of what can still deliver an order where declined is typed: in its help, and before it waits', async () => {
    const warning =
      /Danger: double payment\. A proxy between worker and provider can still deliver an/;
    const words = ['--outcome', 'declined', '--evidence', EVIDENCE];
    const ran = await runPayctl(NOWHERE, ['intents', 'resolve', 'pi_1', ...words]);
    expect(ran.stderr).toMatch(warning);
    const help = await runPayctl(NOWHERE, ['intents', 'resolve', '--help']);
    expect(help.stdout.replaceAll(/\s+/g, ' ')).toMatch(warning);
  });

  it('takes --provider-is-gone for declined alone: paid needs no such word', async () => {
    const words = ['--outcome', 'paid', '--evidence', EVIDENCE, '--provider-is-gone'];
    const ran = await runPayctl(NOWHERE, ['intents', 'resolve', 'pi_1', ...words]);
    expect(ran).toEqual(
      rejection('--provider-is-gone is for --outcome declined: paid is accepted without it.', 2),
    );
  });

  it('is refused, and says by whom the payment was ended, when an attempt of the payout was faster', async () => {
    await withUnknownPayment({ wrap: capturedFirst }, async (world) => {
      const { payment } = world;
      await expect(resolve(world, payment.intentId, declared('paid'))).rejects.toThrow(
        new RegExp(
          `^The declaration was accepted, but not written: ${payment.intentId} is captured, by system at 20[^ ]+Z\\.$`,
        ),
      );
    });
  });

  /** A worker that was told "paid" and frozen writes the capture just before the run writes what was declared. */
  const capturedFirst: NonNullable<WorldOptions['wrap']> = (activities) => ({
    ...activities,
    async recordTransition(command) {
      if (command.resolvedAs !== undefined) {
        const { intentId, from } = command;
        await activities.recordTransition({ intentId, from, event: 'capture', actor: 'system' });
      }
      return activities.recordTransition(command);
    },
  });
});

// `payctl intents close-lost` (docs/restore.md). A lost row stops all payouts, so this comes last.
describe('payctl intents close-lost', () => {
  const closeLost = (id: string) =>
    intents('close-lost', id, '--evidence', 'the provider has no such payout', '--as', 'ann');

  it('is refused where the row is there, and for an id that has no workflow', async () => {
    const payment = await world.create();
    await world.start(payment);
    expectRejected(await closeLost(payment.intentId), 1, 'has its row');
    for (const id of ['pi_00000000000000000000000000', 'pi_1']) {
      expectRejected(await closeLost(id), 1, /^payctl: /);
    }
  });

  it('ends the workflow of a lost row with who and why, and says that nothing was booked', async () => {
    const payment = await world.create();
    const { intentId } = payment;
    const run = await world.start(payment);
    await world.rows('delete from payment_intents where intent_id = $1', intentId);
    await resumePayment(world.environment.client, payment);
    await until(async () => (await world.rows('select from payout_stops')).length > 0, {
      timeoutMs: 20_000,
    });
    expect(textOf(await closeLost(intentId))).toContain('Nothing was booked.');
    await expect(run.result()).rejects.toMatchObject({
      cause: { message: 'Closed by ann: the provider has no such payout' },
    });
  });
});
