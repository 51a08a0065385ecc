// `payctl intents resume` (docs/operations.md; docs/restore.md): a run that is gone is started again, one that has completed
// never is.
import { runHasCompleted } from '../../src/domain/completed-run';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { runPayctl, expectRefused } from '../support/payctl';
import { move } from '../support/builders';
import { resolvePayout } from '../../src/ops/operator-actions';
import type { Resolution } from '../../workflows/messages';
import { declared, EVIDENCE, whileHeld, withUnknownPayment } from '../workflows/started-payment';
import { until } from '../../src/dev/until';
import { resumePayment } from '../../src/temporal/payment-start';

describe('payctl intents resume', () => {
  /** By a process of its own, as operations do. */
  const payctl = ({ environment, url }: PaymentWorld, ...words: readonly string[]) =>
    runPayctl({ url }, ['intents', ...words], { TEMPORAL_ADDRESS: environment.address });

  it('starts the run of an authorized payment that was terminated, which goes on to its end', () =>
    inPaymentWorld(async (world) => {
      const { intentId, ...payment } = await world.create();
      const run = await world.start({ intentId, ...payment });
      await run.terminate('an operator');
      await move(world, intentId, 'authorize');
      const ran = await payctl(world, 'resume', intentId);
      expect([ran.code, ran.stderr]).toEqual([0, '']);
      const next = world.environment.client.workflow.getHandle(intentId);
      await expect(next.result()).resolves.toBe('captured');
    }));

  it.each([['resume'], ['confirm', '--reason', 'they called']])(
    '%s starts nothing beside a run that has completed, and says where to read on',
    (command, ...options) =>
      inPaymentWorld(async (world) => {
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
      }),
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
    (command, next, options) =>
      inPaymentWorld(async (world) => {
        const { intentId } = await world.create();
        await move(world, intentId, 'authorize');
        await world.intents.setAttention(intentId, runHasCompleted('authorized'));
        expectRefused(
          await payctl(world, command, intentId, ...options),
          1,
          `Another run may pay it. See docs/restore.md. ${next}`,
        );
        const run = world.environment.client.workflow.getHandle(intentId);
        await expect(run.describe()).rejects.toThrow(/not found/i);
      }),
  );

  async function restoredToBeforeTheConfirm({ database }: PaymentWorld): Promise<void> {
    await database.query({
      text: 'alter table payment_intents disable trigger payment_intents_status_is_told',
    });
    await database.query({
      text: `update payment_intents set status = 'created', captured_at = null`,
    });
  }
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
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'payctl: --provider-is-gone is for --outcome declined: paid is accepted without it.\n',
    });
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
      if (command.declared !== undefined) {
        const { intentId, from } = command;
        await activities.recordTransition({ intentId, from, event: 'capture', actor: 'system' });
      }
      return activities.recordTransition(command);
    },
  });
});

// `payctl intents close-lost` (docs/restore.md), by a process of its own as operations run it.
describe('payctl intents close-lost', () => {
  const EVIDENCE = ['--evidence', 'the provider has no such payout'];

  const closeLost = ({ environment, url }: PaymentWorld, id: string) =>
    runPayctl({ url }, ['intents', 'close-lost', id, ...EVIDENCE, '--as', 'ann'], {
      TEMPORAL_ADDRESS: environment.address,
    });

  it('ends the workflow of a lost row with who and why, and says that nothing was booked', () =>
    inPaymentWorld(async (world) => {
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
    }));

  it('is refused where the row is there, and for an id that has no workflow', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await world.start(payment);
      expectRefused(await closeLost(world, payment.intentId), 1, 'has its row');
      for (const id of ['pi_00000000000000000000000000', 'pi_1']) {
        expectRefused(await closeLost(world, id), 1, /^payctl: /);
      }
    }));
});
