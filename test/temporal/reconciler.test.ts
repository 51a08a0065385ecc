// "The reconciler … repairs: starts a missing, terminated, cancelled or failed one" (decision 104): what died is taken up
// from the rows, and a payment is paid at most once whatever becomes of its runs.
import type { PaymentSweep } from '../../src/ports/payment-sweep';
import { createPayoutComparisons } from '../../src/postgres/payout-comparisons';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import { createReconciler, type Reconciler } from '../../src/temporal/reconciler';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { SILENT } from '../support/silent-log';
import { createLostCommits } from '../../src/postgres/lost-commits';
import { move } from '../support/builders';

function reconcilerOf(
  { environment, database, intents }: PaymentWorld,
  around: Partial<PaymentSweep> = {},
): Reconciler {
  return createReconciler({
    client: environment.client,
    payments: { ...createPaymentSweep(database), ...around },
    rows: createLostCommits(database),
    comparisons: createPayoutComparisons(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  });
}

async function attentionOf({ database }: PaymentWorld): Promise<string | null | undefined> {
  const { rows } = await database.query<{ readonly attention_reason: string | null }>({
    text: 'select attention_reason from payment_intents',
  });
  return rows[0]?.attention_reason;
}

describe('the reconciler', () => {
  it('starts the run of an intent that create could not start', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      await expect(reconcilerOf(world).sweep()).resolves.toBe(0);
      await world.setClock(6_000);
      await expect(reconcilerOf(world).sweep()).resolves.toBe(1);
      await expect(world.confirm(payment)).resolves.toEqual({ status: 'captured' });
    }));

  it('leaves a run alone that is there', () =>
    inPaymentWorld(async (world) => {
      const run = await world.start(await world.create());
      const { runId } = await run.describe();
      await world.setClock(6_000);
      await expect(reconcilerOf(world).sweep()).resolves.toBe(1);
      await expect(run.describe()).resolves.toMatchObject({ runId });
    }));

  it('wakes a run that waits for a confirm which its row has had, long before the deadline', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await move(world, payment.intentId, 'authorize');
      await world.setClock(31_000);
      await expect(reconcilerOf(world).sweep()).resolves.toBe(1);
      await expect(run.result()).resolves.toBe('captured');
      const { closeTime } = await run.describe();
      expect(closeTime?.getTime()).toBeLessThan(payment.expiresAtMs);
    }));

  it('settles what was authorized when its run was terminated, asking before it pays again', async () => {
    const provider: NonNullable<WorldOptions['provider']> = ['unknown'];
    await inPaymentWorld({ provider }, async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await expect(world.confirmAndWait(payment, '20 minutes')).resolves.toEqual({
        status: 'authorized',
      });
      await run.terminate('an operator');
      provider.push('paid');
      await world.setClock(60_000);
      await expect(reconcilerOf(world).sweep()).resolves.toBe(1);
      const next = world.environment.client.workflow.getHandle(payment.intentId);
      await expect(next.result()).resolves.toBe('captured');
      expect(world.sent).toHaveLength(1);
    });
  });

  it('does not repair an open row whose run has completed, but asks for attention', () =>
    inPaymentWorld(async (world) => {
      const payment = await world.create();
      const run = await world.start(payment);
      await world.confirm(payment);
      await run.result();
      // As a database restored from before the confirm would have it. Meanwhile the server has skipped years.
      await world.database.query({
        text: 'alter table payment_intents disable trigger payment_intents_status_is_told',
      });
      await world.database.query({
        text: `update payment_intents
                  set status = 'created', captured_at = null, check_at = created_at,
                      expires_at = created_at + interval '20 years'`,
      });
      await world.setClock();
      await reconcilerOf(world).sweep();
      await expect(attentionOf(world)).resolves.toContain('has completed');
      expect(world.sent).toHaveLength(1);
      // Temporal forgets a completed run in time: then nothing would keep a new one from starting.
      await world.setClock(600_000);
      await expect(reconcilerOf(world).sweep()).resolves.toBe(0);
    }));

  it.each(['missEvents', 'dropExpired'] as const)(
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
