// "The reconciler … repairs: starts a missing, terminated, cancelled or failed one" (decision 104): what died is taken up
// from the rows, and a payment is paid at most once whatever becomes of its runs.
import type { PaymentClaims } from '../../src/ports/payment-claims';
import { createPayoutRechecks } from '../../src/postgres/payouts/rechecks';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import {
  createWorkflowRepairer,
  type WorkflowRepairer,
} from '../../src/temporal/workflow-repairer';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { SILENT } from '../support/silent-log';
import { createLostCommits } from '../../src/postgres/payouts/lost-commits';
import { move } from '../support/builders';
import { withPayment, withUnknownPayment } from '../workflows/started-payment';

function reconcilerOf(
  { environment, database, intents }: Pick<PaymentWorld, 'environment' | 'database' | 'intents'>,
  around: Partial<PaymentClaims> = {},
): WorkflowRepairer {
  return createWorkflowRepairer({
    client: environment.client,
    payments: { ...createPaymentClaims(database), ...around },
    rows: createLostCommits(database),
    rechecks: createPayoutRechecks(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  });
}

describe('the reconciler', () => {
  it('starts the run of an intent that create could not start', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await expect(reconcilerOf(world).poll()).resolves.toBe(0);
      await world.setClock(6_000);
      await expect(reconcilerOf(world).poll()).resolves.toBe(1);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    }));

  it('leaves a run alone that is there', () =>
    withPayment(async ({ run, ...world }) => {
      const { runId } = await run.describe();
      await world.setClock(6_000);
      await expect(reconcilerOf(world).poll()).resolves.toBe(1);
      await expect(run.describe()).resolves.toMatchObject({ runId });
    }));

  it('wakes a run that waits for a confirm which its row has had, long before the deadline', () =>
    withPayment(async ({ payment, run, ...world }) => {
      await move(world, payment.intentId, 'authorize');
      await world.setClock(31_000);
      await expect(reconcilerOf(world).poll()).resolves.toBe(1);
      await expect(run.result()).resolves.toBe('captured');
      const { closeTime } = await run.describe();
      expect(closeTime?.getTime()).toBeLessThan(payment.expiresAtMs);
    }));

  it('settles what was authorized when its run was terminated, asking before it pays again', () =>
    withUnknownPayment({}, async ({ payment, run, ...world }, provider) => {
      await expect(world.row()).resolves.toMatchObject({ status: 'authorized' });
      await run.terminate('an operator');
      provider.push('paid');
      await world.setClock(60_000);
      await expect(reconcilerOf(world).poll()).resolves.toBe(1);
      const next = world.environment.client.workflow.getHandle(payment.intentId);
      await expect(next.result()).resolves.toBe('captured');
      expect(world.sent).toHaveLength(1);
    }));

  it('does not repair an open row whose run has completed, but asks for attention', () =>
    withPayment(async ({ confirm, run, ...world }) => {
      await confirm();
      await run.result();
      // As a database restored from before the confirm would have it. Meanwhile the server has skipped years.
      await world.rows(
        'alter table payment_intents disable trigger payment_intents_status_is_audited',
      );
      await world.rows(
        `update payment_intents set status = 'created', captured_at = null, check_at = created_at,
                expires_at = created_at + interval '20 years'`,
      );
      await world.setClock();
      await reconcilerOf(world).poll();
      const attention = expect.stringContaining('has completed') as unknown;
      await expect(world.row()).resolves.toMatchObject({ attention });
      expect(world.sent).toHaveLength(1);
      // Temporal forgets a completed run in time: then nothing would keep a new one from starting.
      await world.setClock(600_000);
      await expect(reconcilerOf(world).poll()).resolves.toBe(0);
    }));

  it.each(['skipEvents', 'dropExpired'] as const)(
    'a stop ends %s after the batch that is under way, however many are left',
    (work) =>
      inPaymentWorld(async (world) => {
        const stop = new AbortController();
        let batches = 0;
        const endless = (limit: number) => {
          batches += 1;
          stop.abort();
          return batches > 3 ? Promise.reject(new Error('goes on')) : Promise.resolve(limit);
        };
        await reconcilerOf(world, { [work]: endless }).run(stop.signal);
        expect(batches).toBe(1);
      }),
  );
});
