// Payments expired soon after their deadline, many in one statement, where Temporal says that their workflow has slept since its
// start (record 132). Every other is left to its workflow.
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import type { PaymentStart } from '../../src/domain/payment-start';
import { createLostCommits } from '../../src/postgres/lost-commits';
import { createPaymentSweep } from '../../src/postgres/payment-sweep';
import { createPayoutStops } from '../../src/postgres/payout-stops';
import { createDeadlinePoller } from '../../src/temporal/deadline-poller';
import { inPaymentWorld, type PaymentWorld } from '../support/payment-world';
import { SILENT } from '../support/silent-log';

const LIFE_MS = 1_800_000;
/** A third of the life of a payment. */
const ADOPTED_WITHIN_MS = LIFE_MS / 3;

function pollerOf({ environment, database, intents }: PaymentWorld, client?: Client) {
  return createDeadlinePoller({
    client: client ?? environment.client,
    rows: createLostCommits(database),
    payments: createPaymentSweep(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  });
}

/** The row as it is when its workflow was started in time. */
async function started(world: PaymentWorld) {
  const payment = await world.create();
  const run = await world.start(payment);
  await createPaymentSweep(world.database).markStarted([payment.intentId]);
  return { payment, run };
}

async function historyOf({ database }: PaymentWorld, { intentId }: PaymentStart) {
  const { rows } = await database.query<{ readonly to_status: string; readonly actor: string }>({
    text: 'select to_status, actor from intent_transitions where intent_id = $1',
    values: [intentId],
  });
  return rows.map(({ to_status, actor }) => `${to_status} by ${actor}`);
}

async function rowOf({ database }: PaymentWorld, { intentId }: PaymentStart) {
  const { rows } = await database.query<{
    readonly status: string;
    readonly attention_reason: string | null;
  }>({
    text: 'select status, attention_reason from payment_intents where intent_id = $1',
    values: [intentId],
  });
  return rows[0];
}

describe('the poller of deadlines', () => {
  it('expires a payment that nobody confirmed, and its workflow adopts that within ten minutes', () =>
    inPaymentWorld(async (world) => {
      const { payment, run } = await started(world);
      await world.setClock(LIFE_MS);
      await expect(pollerOf(world).poll()).resolves.toBe(1);
      await expect(rowOf(world, payment)).resolves.toMatchObject({ status: 'expired' });
      // Nothing has woken it.
      expect((await run.describe()).historyLength).toBe(1);
      await expect(run.result()).resolves.toBe('expired');
      const { closeTime } = await run.describe();
      const adoptedAfterMs = (closeTime?.getTime() ?? Infinity) - payment.expiresAtMs;
      expect(adoptedAfterMs).toBeLessThan(ADOPTED_WITHIN_MS + 10_000);
      expect(await historyOf(world, payment)).toEqual(['expired by system']);
    }));

  it('leaves workflows asleep that wake at different times: none within a minute of the deadline, none later than ten', () =>
    inPaymentWorld(async (world) => {
      const wakes: number[] = [];
      for (let made = 0; made < 20; made += 1) {
        const { run } = await started(world);
        const { events } = await run.fetchHistory();
        const start = events?.[0]?.workflowExecutionStartedEventAttributes;
        wakes.push(tsToMs(start?.firstWorkflowTaskBackoff) - LIFE_MS);
      }
      // The delay is counted from the start, some moments after the create.
      expect(Math.min(...wakes)).toBeGreaterThan(LIFE_MS / 30 - 5_000);
      expect(Math.max(...wakes)).toBeLessThan(ADOPTED_WITHIN_MS);
      expect(new Set(wakes).size).toBeGreaterThan(10);
    }));

  it('reads nothing before the deadline', () =>
    inPaymentWorld(async (world) => {
      const { payment } = await started(world);
      await world.setClock(LIFE_MS - 10_000);
      await expect(pollerOf(world).poll()).resolves.toBe(0);
      await expect(rowOf(world, payment)).resolves.toMatchObject({ status: 'created' });
    }));

  it('expires no payment whose workflow has completed: Postgres has lost what that did', () =>
    inPaymentWorld(async (world) => {
      const { payment, run } = await started(world);
      await world.confirm(payment);
      await expect(run.result()).resolves.toBe('captured');
      await forgetConfirm(world, payment);
      await world.setClock(LIFE_MS + 60_000);
      await pollerOf(world).poll();
      await expect(rowOf(world, payment)).resolves.toEqual({
        status: 'created',
        attention_reason: expect.stringContaining('has completed') as unknown,
      });
    }));

  it('expires no payment whose open workflow has confirmed it: Postgres has lost that', () =>
    inPaymentWorld({ provider: ['unknown'] }, async (world) => {
      const { payment } = await started(world);
      await expect(world.confirmAndWait(payment, '20 minutes')).resolves.toEqual({
        status: 'authorized',
      });
      await forgetConfirm(world, payment);
      await world.setClock(LIFE_MS);
      await pollerOf(world).poll();
      await expect(rowOf(world, payment)).resolves.toMatchObject({ status: 'created' });
    }));

  it('leaves a payment to its workflow that a refused confirm has woken', () =>
    inPaymentWorld(async (world) => {
      const { payment, run } = await started(world);
      await world.confirm({ ...payment, expiresAtMs: 0 });
      await world.setClock(LIFE_MS);
      await pollerOf(world).poll();
      await expect(rowOf(world, payment)).resolves.toMatchObject({ status: 'created' });
      await expect(run.result()).resolves.toBe('expired');
    }));

  it('starts a workflow where there is none, or where an operator has terminated it, and that expires the payment', () =>
    inPaymentWorld(async (world) => {
      const [never, terminated] = [await world.create(), await started(world)];
      await terminated.run.terminate('an operator');
      await world.setClock(LIFE_MS);
      await pollerOf(world).poll();
      for (const { intentId } of [never, terminated.payment]) {
        const next = world.environment.client.workflow.getHandle(intentId);
        await expect(next.result()).resolves.toBe('expired');
      }
    }));

  it('expires nothing while Temporal does not answer, and asks it about no more than are under way', () =>
    inPaymentWorld(async (world) => {
      const payments: PaymentStart[] = [];
      for (let made = 0; made < 10; made += 1) payments.push((await started(world)).payment);
      const statuses = async () =>
        new Set(
          (await Promise.all(payments.map((one) => rowOf(world, one)))).map((row) => row?.status),
        );
      await world.setClock(LIFE_MS);
      const away = temporalAway(world);
      await expect(pollerOf(world, away.client).poll()).rejects.toThrow('away');
      expect(away.asked()).toBeLessThanOrEqual(4);
      expect(await statuses()).toEqual(new Set(['created']));
      // By whoever claims them when the lease is over.
      await world.setClock(LIFE_MS + 30_000);
      await expect(pollerOf(world).poll()).resolves.toBe(10);
      expect(await statuses()).toEqual(new Set(['expired']));
    }));

  it('asks Temporal about a payment that a stop for a restore holds up no more often than it reminds', () =>
    inPaymentWorld(async (world) => {
      const { database } = world;
      await createPayoutStops(database).stop({ actor: 'ann', reason: 'restored', kind: 'restore' });
      const { payment } = await started(world);
      await world.setClock(LIFE_MS);
      const away = temporalAway(world);
      await expect(pollerOf(world, away.client).poll()).resolves.toBe(1);
      expect(away.asked()).toBe(0);
      await expect(rowOf(world, payment)).resolves.toMatchObject({ status: 'created' });
      await world.setClock(LIFE_MS + 30_000);
      await expect(pollerOf(world, away.client).poll()).rejects.toThrow('away');
      expect(away.asked()).toBe(1);
    }));

  it('asks about nothing more once it is to stop, and ends', () =>
    inPaymentWorld(async (world) => {
      const { payment } = await started(world);
      await world.setClock(LIFE_MS);
      const away = temporalAway(world);
      await pollerOf(world, away.client).poll(AbortSignal.abort());
      await pollerOf(world, away.client).run(AbortSignal.abort());
      expect(away.asked()).toBe(0);
      await expect(rowOf(world, payment)).resolves.toMatchObject({ status: 'created' });
    }));
});

/** A client whose every question about a workflow fails. */
function temporalAway({ environment }: PaymentWorld) {
  let asked = 0;
  const describe = () => {
    asked += 1;
    return Promise.reject(new Error('away'));
  };
  const client = Object.create(environment.client, {
    workflow: { value: { getHandle: () => ({ describe }) } },
  }) as Client;
  return { client, asked: () => asked };
}

/** As a Postgres that has lost its latest commits would have it. */
async function forgetConfirm({ database }: PaymentWorld, { intentId }: PaymentStart) {
  await database.query({
    text: 'alter table payment_intents disable trigger payment_intents_status_is_told',
  });
  await database.query({
    text: `update payment_intents set status = 'created', captured_at = null, check_at = expires_at,
                  attention_reason = null, attention_since = null
            where intent_id = $1`,
    values: [intentId],
  });
  await database.query({
    text: 'delete from intent_transitions where intent_id = $1',
    values: [intentId],
  });
}
