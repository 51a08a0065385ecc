// The workflow repairer starts missing, terminated, cancelled or failed workflows from the rows
// (decision 104), and a payment is paid at most once whatever happens to its workflows.
import type { PaymentClaims } from '../../src/ports/intents';
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

function repairerOf(
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

describe('the workflow repairer', () => {
  it('starts the workflow of an intent that create could not start', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await expect(repairerOf(world).poll()).resolves.toBe(0);
      await world.setClock(6_000);
      await expect(repairerOf(world).poll()).resolves.toBe(1);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    }));

  it('does not change an open workflow', () =>
    withPayment(async ({ workflow, ...world }) => {
      const { runId } = await workflow.describe();
      await world.setClock(6_000);
      await expect(repairerOf(world).poll()).resolves.toBe(1);
      await expect(workflow.describe()).resolves.toMatchObject({ runId });
    }));

  it('wakes a workflow whose row is confirmed, long before the deadline', () =>
    withPayment(async ({ payment, workflow, ...world }) => {
      await move(world, payment.intentId, 'authorize');
      await world.setClock(31_000);
      await expect(repairerOf(world).poll()).resolves.toBe(1);
      await expect(workflow.result()).resolves.toBe('captured');
      const { closeTime } = await workflow.describe();
      expect(closeTime?.getTime()).toBeLessThan(payment.expiresAtMs);
    }));

  it('settles an authorized payment after its workflow was terminated, with a query before it pays', () =>
    withUnknownPayment({}, async ({ payment, workflow, ...world }, provider) => {
      await expect(world.row()).resolves.toMatchObject({ status: 'authorized' });
      await workflow.terminate('an operator');
      provider.push('paid');
      await world.setClock(60_000);
      await expect(repairerOf(world).poll()).resolves.toBe(1);
      const next = world.environment.client.workflow.getHandle(payment.intentId);
      await expect(next.result()).resolves.toBe('captured');
      expect(world.sent).toHaveLength(1);
    }));

  it('does not repair an open row whose workflow has completed, but raises attention', () =>
    withPayment(async ({ confirm, workflow, ...world }) => {
      await confirm();
      await workflow.result();
      // The state of a database restored from before the confirm. Meanwhile the server has skipped
      // years.
      await world.rows(
        'alter table payment_intents disable trigger payment_intents_status_is_audited',
      );
      await world.rows(
        `update payment_intents set status = 'created', captured_at = null, check_at = created_at,
                expires_at = created_at + interval '20 years'`,
      );
      await world.setClock();
      await repairerOf(world).poll();
      const attention = expect.stringContaining('has completed') as unknown;
      await expect(world.row()).resolves.toMatchObject({ attention });
      expect(world.sent).toHaveLength(1);
      // Temporal deletes a completed workflow in time: then nothing would prevent the start of a
      // new one.
      await world.setClock(600_000);
      await expect(repairerOf(world).poll()).resolves.toBe(0);
    }));

  it.each(['skipEvents', 'dropExpired'] as const)(
    'a stop ends %s after the current batch, however many rows are left',
    (work) =>
      inPaymentWorld(async (world) => {
        const stop = new AbortController();
        let batches = 0;
        const endless = (limit: number) => {
          batches += 1;
          stop.abort();
          return batches > 3 ? Promise.reject(new Error('goes on')) : Promise.resolve(limit);
        };
        await repairerOf(world, { [work]: endless }).run(stop.signal);
        expect(batches).toBe(1);
      }),
  );
});
