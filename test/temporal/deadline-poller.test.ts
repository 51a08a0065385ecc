// Payments expired soon after their deadline, many in one statement, where Temporal says that their workflow has slept since its
// start (record 132). Every other is left to its workflow.
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { createLostCommits } from '../../src/postgres/payouts/lost-commits';
import { createPaymentClaims } from '../../src/postgres/intents/claims';
import { createPayoutStops } from '../../src/postgres/payouts/stops';
import { createDeadlinePoller } from '../../src/temporal/deadline-poller';
import { inPaymentWorld, type PaymentWorld, type WorldOptions } from '../support/payment-world';
import { SILENT } from '../support/silent-log';

const LIFE_MS = 1_800_000;
/** A third of the life of a payment. */
const ADOPTED_WITHIN_MS = LIFE_MS / 3;

function pollerOf({ environment, database, intents }: PaymentWorld, client?: Client) {
  return createDeadlinePoller({
    client: client ?? environment.client,
    rows: createLostCommits(database),
    payments: createPaymentClaims(database),
    intents,
    clock: { now: () => new Date() },
    log: SILENT,
  });
}

/** The row as it is when its workflow was started in time. */
async function started(world: PaymentWorld) {
  const payment = await world.create();
  const run = await world.start(payment);
  await createPaymentClaims(world.database).markStarted([payment.intentId]);
  return { payment, run };
}

/** One such payment, and the poller once the time has come. */
function withStarted(
  work: (world: PaymentWorld & Awaited<ReturnType<typeof started>>) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  return inPaymentWorld(options, async (world) => work({ ...world, ...(await started(world)) }));
}

async function pollAt(world: PaymentWorld, aheadMs: number, client?: Client): Promise<number> {
  await world.setClock(aheadMs);
  return pollerOf(world, client).poll();
}

const rowsOf = ({ rows }: PaymentWorld) => rows('select status from payment_intents');
const CREATED = [{ status: 'created' }];

describe('the poller of deadlines', () => {
  it('expires a payment that nobody confirmed, and its workflow adopts that within ten minutes', () =>
    withStarted(async ({ payment, run, ...world }) => {
      await expect(pollAt(world, LIFE_MS)).resolves.toBe(1);
      await expect(rowsOf(world)).resolves.toEqual([{ status: 'expired' }]);
      // Nothing has woken it.
      expect((await run.describe()).historyLength).toBe(1);
      await expect(run.result()).resolves.toBe('expired');
      const { closeTime } = await run.describe();
      const adoptedAfterMs = (closeTime?.getTime() ?? Infinity) - payment.expiresAtMs;
      expect(adoptedAfterMs).toBeLessThan(ADOPTED_WITHIN_MS + 10_000);
      await expect(world.rows('select to_status, actor from intent_transitions')).resolves.toEqual([
        { to_status: 'expired', actor: 'system' },
      ]);
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
    withStarted(async (world) => {
      await expect(pollAt(world, LIFE_MS - 10_000)).resolves.toBe(0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
    }));

  it('expires no payment whose workflow has completed: Postgres has lost what that did', () =>
    withStarted(async ({ payment, run, ...world }) => {
      await world.confirm(payment);
      await expect(run.result()).resolves.toBe('captured');
      await forgetConfirm(world);
      await pollAt(world, LIFE_MS + 60_000);
      const reason = expect.stringContaining('has completed') as unknown;
      await expect(
        world.rows('select status, attention_reason as reason from payment_intents'),
      ).resolves.toEqual([{ status: 'created', reason }]);
    }));

  it('expires no payment whose open workflow has confirmed it: Postgres has lost that', () =>
    withStarted(
      async ({ payment, ...world }) => {
        const confirmed = await world.confirmAndWait(payment, '20 minutes');
        expect(confirmed).toEqual({ status: 'authorized' });
        await forgetConfirm(world);
        await pollAt(world, LIFE_MS);
        await expect(rowsOf(world)).resolves.toEqual(CREATED);
      },
      { provider: ['unknown'] },
    ));

  it('leaves a payment to its workflow that a refused confirm has woken', () =>
    withStarted(async ({ payment, run, ...world }) => {
      await world.confirm({ ...payment, expiresAtMs: 0 });
      await pollAt(world, LIFE_MS);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      await expect(run.result()).resolves.toBe('expired');
    }));

  it('starts a workflow where there is none, or where an operator has terminated it, and that expires the payment', () =>
    withStarted(async ({ payment, run, ...world }) => {
      const never = await world.create();
      await run.terminate('an operator');
      await pollAt(world, LIFE_MS);
      for (const { intentId } of [never, payment]) {
        const next = world.environment.client.workflow.getHandle(intentId);
        await expect(next.result()).resolves.toBe('expired');
      }
    }));

  it('expires nothing while Temporal does not answer, and asks it about no more than are under way', () =>
    inPaymentWorld(async (world) => {
      for (let made = 0; made < 10; made += 1) await started(world);
      const statuses = () => world.rows('select distinct status from payment_intents');
      const away = temporalAway(world);
      await expect(pollAt(world, LIFE_MS, away.client)).rejects.toThrow('away');
      expect(away.asked()).toBeLessThanOrEqual(4);
      await expect(statuses()).resolves.toEqual(CREATED);
      // By whoever claims them when the lease is over.
      await expect(pollAt(world, LIFE_MS + 30_000)).resolves.toBe(10);
      await expect(statuses()).resolves.toEqual([{ status: 'expired' }]);
    }));

  it('asks Temporal about a payment that a stop for a restore holds up no more often than it reminds', () =>
    withStarted(async (world) => {
      const stop = { actor: 'ann', reason: 'restored', kind: 'restore' } as const;
      await createPayoutStops(world.database).stop(stop);
      const away = temporalAway(world);
      await expect(pollAt(world, LIFE_MS, away.client)).resolves.toBe(1);
      expect(away.asked()).toBe(0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
      await expect(pollAt(world, LIFE_MS + 30_000, away.client)).rejects.toThrow('away');
      expect(away.asked()).toBe(1);
    }));

  it('asks about nothing more once it is to stop, and ends', () =>
    withStarted(async (world) => {
      await world.setClock(LIFE_MS);
      const away = temporalAway(world);
      await pollerOf(world, away.client).poll(AbortSignal.abort());
      await pollerOf(world, away.client).run(AbortSignal.abort());
      expect(away.asked()).toBe(0);
      await expect(rowsOf(world)).resolves.toEqual(CREATED);
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
async function forgetConfirm({ rows }: Pick<PaymentWorld, 'rows'>) {
  await rows('alter table payment_intents disable trigger payment_intents_status_is_audited');
  await rows(
    `update payment_intents set status = 'created', captured_at = null, check_at = expires_at,
            attention_reason = null, attention_since = null`,
  );
  await rows('delete from intent_transitions');
}
